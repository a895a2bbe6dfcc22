import type { Capability, Role } from './types.ts'

/** Ordered from lowest to highest: each role has all capabilities of the roles before it. */
export const roleMatrix: ReadonlyArray<{ role: Role; capabilities: readonly Capability[] }> = [
  { role: 'Viewer', capabilities: ['read'] },
  { role: 'Deployer', capabilities: ['read', 'mutate_infra'] },
  {
    role: 'SRE · Cloud Admin',
    capabilities: ['read', 'mutate_infra', 'manage_cloud_accounts'],
  },
  {
    role: 'Org Admin',
    capabilities: ['read', 'mutate_infra', 'manage_cloud_accounts', 'manage_users_sso'],
  },
  {
    role: 'Owner',
    capabilities: [
      'read',
      'mutate_infra',
      'manage_cloud_accounts',
      'manage_users_sso',
      'manage_billing_transfer',
    ],
  },
]

export const capabilityWords: ReadonlyArray<[Capability, string]> = [
  ['read', 'Read everything in the organization'],
  ['mutate_infra', 'Change workspaces and pipelines, start, approve and cancel runs'],
  ['manage_cloud_accounts', 'Manage the guards of runs, prices, cloud accounts, state restore'],
  ['manage_users_sso', 'Manage people, single sign-on, policies'],
  ['manage_billing_transfer', 'Transfer the organization to another Owner'],
]

/** The roles that a person with this role may assign: up to and including their own. */
export function rolesUpTo(role: Role): Role[] {
  const rank = roleMatrix.findIndex((one) => one.role === role)
  return roleMatrix.slice(0, rank + 1).map((one) => one.role)
}

/** The roles that an identity provider may assign: as Owner, its administrator could take over the organization. */
export const mappableRoles = (role: Role): Role[] =>
  rolesUpTo(role === 'Owner' ? 'Org Admin' : role)

/** The lowest role that has a capability. */
export const lowestRoleWith = (capability: Capability): Role =>
  roleMatrix.find(({ capabilities }) => capabilities.includes(capability))?.role ?? 'Owner'
