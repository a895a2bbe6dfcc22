import { describe, expect, test } from 'vitest'
import { appendStep, readPath, type PathStep } from './attribute-path.ts'

const formatPath = (steps: readonly PathStep[]) => steps.reduce<string>(appendStep, '')

describe('attribute paths', () => {
  test.each([
    ['instance_type', ['instance_type']],
    ['root_block_device[0].volume_type', ['root_block_device', 0, 'volume_type']],
    ['tags["a.b"]', ['tags', 'a.b']],
    [String.raw`tags["a\"b"].c`, ['tags', 'a"b', 'c']],
  ])('%s is read and written alike', (text, steps) => {
    expect(readPath(text)).toEqual(steps)
    expect(formatPath(steps)).toBe(text)
  })

  test('a.0.b is a[0].b', () => {
    expect(readPath('a.0.b')).toEqual(['a', 0, 'b'])
  })

  test.each(['', '.a', 'a..b', 'a[', 'a[x]', 'a b', 'a[0]b'])('%j is no path', (text) => {
    expect(readPath(text)).toBeUndefined()
  })
})
