import type { CostScope } from '../cost-scope.ts'

/** What is known of a workspace before its plan is looked into. */
export type WorkspaceOfScope = {
  id: number
  cloudAccountId: number | null
  /** The cloud's own id of that account: 12 digits, a subscription, `managementGroups/x`. */
  accountNumber: string | null
  /** Whether that account has a bill of its own. Otherwise another account of the organization pays for it. */
  accountHasBill: boolean
}

/**
 * How a plan's changes are searched for those in the scope of a budget. `exact`: their cost counts as it
 * is. `rises`: which of them are in the scope cannot be told, so each rise counts and no saving does.
 */
export type ReachQuestion = {
  budgetId: number
  provider?: string
  /** Any of the keys: bills have several that are read as one. */
  tag?: { keys: string[]; value: string | null }
  sum: 'exact' | 'rises'
}

type Around = {
  workspace: WorkspaceOfScope
  tagKey: string | null
  /** Other keys of bills that are read as one: `{ team: ['Team'] }`. */
  tagAliases: Readonly<Record<string, readonly string[]>>
}

/**
 * What to ask a plan of this workspace for a budget; undefined if the workspace is outside of its scope.
 * Where that cannot be told it is inside: a guard that is not sure holds.
 */
export function reachQuestion(
  { id, scopeKind, scopeValue }: CostScope & { id: number },
  around: Around,
): ReachQuestion | undefined {
  const exact = { budgetId: id, sum: 'exact' } as const
  const rises = { budgetId: id, sum: 'rises' } as const
  const value = scopeValue ?? ''
  const { workspace } = around
  switch (scopeKind) {
    case 'all':
      return exact
    case 'workspace':
      return value === String(workspace.id) ? exact : undefined
    case 'account':
      // With keys in its variables a workspace without an account may work in any.
      if (workspace.cloudAccountId === null) return rises
      if (value === String(workspace.cloudAccountId)) return exact
      // The bill of an account that pays for others has theirs.
      return workspace.accountHasBill ? undefined : rises
    case 'subAccount':
      if (workspace.accountNumber !== null && isSameAccount(value, workspace.accountNumber))
        return exact
      return isOneAccount(workspace.accountNumber) ? undefined : rises
    case 'provider': {
      const provider = providersByName.get(value.toLowerCase())
      return provider === undefined ? rises : { ...exact, provider }
    }
    case 'tag':
      return { ...exact, ...tagOf(value, around) }
    case 'service':
      // A resource's type does not say which service bills it.
      break
  }
  return rises
}

function tagOf(
  value: string,
  { tagKey, tagAliases }: Pick<Around, 'tagKey' | 'tagAliases'>,
): Pick<ReachQuestion, 'tag'> {
  const keysOf = (key: string) => [key, ...(tagAliases[key] ?? [])]
  if (value === 'untagged')
    return tagKey === null ? {} : { tag: { keys: keysOf(tagKey), value: null } }
  const at = value.indexOf('=')
  return { tag: { keys: keysOf(value.slice(0, at)), value: value.slice(at + 1) } }
}

/** Azure's bills name `/subscriptions/<id>`, and some of AWS leave out the zeros at the beginning. */
function isSameAccount(one: string, other: string): boolean {
  const plain = (id: string) => {
    const bare = id.toLowerCase().replace(/^\/subscriptions\//, '')
    return /^\d+$/.test(bare) ? bare.padStart(12, '0') : bare
  }
  return plain(one) === plain(other)
}

/** Not a management group, a folder or an organization, which have accounts below them. */
const isOneAccount = (number: string | null) => number !== null && !number.includes('/')

/** The product's name of a cloud that a bill, a scope or a person names; else the name in lower case. */
export const providerNamed = (name: string): string =>
  providersByName.get(name.toLowerCase()) ?? name.toLowerCase()

/** The clouds whose OpenTofu providers are known, by the names that bills give them. */
const providersByName = new Map([
  ['aws', 'aws'],
  ['amazon web services', 'aws'],
  ['azure', 'azure'],
  ['microsoft', 'azure'],
  ['microsoft azure', 'azure'],
  ['gcp', 'gcp'],
  ['google', 'gcp'],
  ['google cloud', 'gcp'],
  ['google cloud platform', 'gcp'],
  ['oci', 'oci'],
  ['oracle', 'oci'],
  ['oracle cloud', 'oci'],
])
