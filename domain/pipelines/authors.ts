import { hasCapability, type Powers } from '../access/roles.ts'

export type Member = Powers & { id: number; active: boolean }

/** Why a person may not approve a run, or undefined where they may (runs.md, Transitions; §4.4). */
export function faultOfApprover(
  approver: Member,
  authors: ReadonlySet<number>,
  unknownAuthor: boolean,
): 'inactive' | 'capability' | 'author' | undefined {
  if (!approver.active) return 'inactive'
  // A commit that matches no member might be anybody's, so it takes more than a Deployer to vouch for it.
  if (!hasCapability(approver, unknownAuthor ? 'manage_cloud_accounts' : 'mutate_infra'))
    return 'capability'
  return authors.has(approver.id) ? 'author' : undefined
}
