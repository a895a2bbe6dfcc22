import type { AwsCredentials } from './cloud-account.ts'
import { refuseField } from './refuse-field.ts'

/** AWS's states of an account in an organization, in lower case. */
export const memberStates = [
  'active',
  'suspended',
  'pending_activation',
  'pending_closure',
  'closed',
  'unknown',
] as const
export type MemberState = (typeof memberStates)[number]

/** Only an active account can be connected: nobody signs in to the others. */
export const memberState = (status: string): MemberState =>
  memberStates.find((state) => state === status.toLowerCase()) ?? 'unknown'

/** The partition that an account and its organization belong to: there is no role across two. */
export function awsPartition(credentials: AwsCredentials, regions: readonly string[] | null) {
  if ('roleArn' in credentials) return credentials.roleArn.split(':')[1] ?? 'aws'
  const first = regions?.[0] ?? ''
  if (first.startsWith('cn-')) return 'aws-cn'
  return first.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

/** The role of one name in a member. A path is part of the name: `ops/cloud-control`. */
export function memberRole(partition: string, accountId: string, roleName: string): AwsCredentials {
  const name = roleName.replace(/^\//, '')
  // Of IAM: CreateRole, RoleName and Path, of which no character is taken that roleArn may not have.
  if (!/^(?:[\w+=,.@/-]{1,510}\/)?[\w+=,.@-]{1,64}$/.test(name))
    throw refuseField('roleName', 'is not the name of a role')
  return { roleArn: `arn:${partition}:iam::${accountId}:role/${name}` }
}
