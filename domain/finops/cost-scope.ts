export const costScopeKinds = [
  'all',
  'provider',
  'service',
  'tag',
  'account',
  'workspace',
  'subAccount',
] as const
export type CostScopeKind = (typeof costScopeKinds)[number]

/** A part of an organization's cost, as of a budget or a unit. */
export type CostScope = {
  scopeKind: CostScopeKind
  /** Null for `all` alone. Of an account or a workspace the text of its id. */
  scopeValue: string | null
}
