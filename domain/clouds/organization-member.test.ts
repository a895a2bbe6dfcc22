import { expect, test } from 'vitest'
import { awsPartition, memberRole, memberState } from './organization-member.ts'

test.each([
  ['ACTIVE', 'active'],
  ['SUSPENDED', 'suspended'],
  ['PENDING_CLOSURE', 'pending_closure'],
  ['', 'unknown'],
  ['FROZEN', 'unknown'],
])('%s is %s', (status, state) => {
  expect(memberState(status)).toBe(state)
})

test('a role has the name, the member and the partition', () => {
  const role = (name: string) => memberRole('aws', '210987654321', name)
  expect(role('cloud-control')).toEqual({ roleArn: 'arn:aws:iam::210987654321:role/cloud-control' })
  expect(role('/ops/cc')).toEqual({ roleArn: 'arn:aws:iam::210987654321:role/ops/cc' })
  for (const name of ['', ' ', 'a b', 'a:b', 'ops/', 'a:b/cc', 'a*b/cc', 'x'.repeat(65)])
    expect(() => role(name), name).toThrow('roleName')
})

test('the partition is that of the role, else of the regions', () => {
  const keys = { accessKeyId: 'AKIA', secretAccessKey: 'x' }
  expect(awsPartition({ roleArn: 'arn:aws-cn:iam::1:role/x' }, null)).toBe('aws-cn')
  expect(awsPartition(keys, ['us-gov-west-1'])).toBe('aws-us-gov')
  expect(awsPartition(keys, ['cn-north-1'])).toBe('aws-cn')
  expect(awsPartition(keys, null)).toBe('aws')
})
