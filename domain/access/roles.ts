/** Lowest to highest. A platform administrator is a flag of a person, not a role of an organization. */
export const roles = ['Viewer', 'Deployer', 'SRE · Cloud Admin', 'Org Admin', 'Owner'] as const
export type Role = (typeof roles)[number]

export const capabilities = [
  'read',
  'mutate_infra',
  'manage_cloud_accounts',
  'manage_users_sso',
  'manage_billing_transfer',
] as const
export type Capability = (typeof capabilities)[number]

/** The lowest role that has the capability. */
export const lowestRole: Readonly<Record<Capability, Role>> = {
  read: 'Viewer',
  mutate_infra: 'Deployer',
  manage_cloud_accounts: 'SRE · Cloud Admin',
  manage_users_sso: 'Org Admin',
  manage_billing_transfer: 'Owner',
}

export const rank = (role: Role): number => roles.indexOf(role)

const roleHas = (role: Role, capability: Capability): boolean =>
  rank(role) >= rank(lowestRole[capability])

/** The powers of a person: a platform administrator is above every role of their own organization. */
export type Powers = { role: Role; platformAdmin: boolean }

export const hasCapability = ({ role, platformAdmin }: Powers, capability: Capability): boolean =>
  platformAdmin || roleHas(role, capability)

export const capabilitiesOf = (powers: Powers): Capability[] =>
  capabilities.filter((capability) => hasCapability(powers, capability))

export const lowerOf = (a: Role, b: Role): Role => (rank(a) <= rank(b) ? a : b)

export const isRole = (value: unknown): value is Role => roles.some((role) => role === value)
