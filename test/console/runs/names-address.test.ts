import { expect, test } from 'vitest'
import { namesAddress } from '../../../console/src/runs/names-address.ts'

test.each([
  ['aws_vpc.a would be destroyed', true],
  ['It destroys aws_vpc.a.', true],
  ['"aws_vpc.a" is large', true],
  ['aws_vpc.ab, and then aws_vpc.a', true],
  ['aws_vpc.ab would be destroyed', false],
  ['aws_vpc.a-b would be destroyed', false],
  ['aws_vpc.a[0] would be destroyed', false],
  ['module.b.aws_vpc.a would be destroyed', false],
  ['aws_vpc.a.id is not known', false],
  ['nothing', false],
])('%j names aws_vpc.a: %s', (text, names) => {
  expect(namesAddress(text, 'aws_vpc.a')).toBe(names)
})
