import type { Tenant } from '../../store/driver/tenant.ts'
import { gitHydrations } from '../../store/git/git-hydrations.ts'
import { users } from '../../store/users/users.ts'

/** As in gateways/git/git-source.ts. */
export type Attribution = { claimed: readonly string[]; proved: readonly string[] }

export type CommitsOfAuthors = {
  commits: readonly Attribution[]
  /** False if there are more than were looked at. */
  complete: boolean
  /** Null if the host does not report them without a gap. */
  pushes: ReadonlyArray<Attribution & { after: string }> | null
}

/**
 * The authors of commits: members whom a commit names, whom its signature proves, and who pushed
 * it. A commit for which the host proves no member has an unknown author: `git commit --author`
 * names anybody, so an attacker could otherwise approve their own change as a colleague's. A member
 * who is only named counts as an author all the same. Commits of this service have no pusher.
 */
export async function authorsOfCommits(
  tenant: Tenant,
  { commits, complete, pushes }: CommitsOfAuthors,
): Promise<{ authorUserIds: number[]; unknownAuthor: boolean }> {
  const pushed = (pushes ?? []).map(({ after }) => after)
  const ours = await gitHydrations(tenant).ownCommits(pushed)
  const made = [...commits, ...(pushes ?? []).filter(({ after }) => !ours.has(after))]
  const members = await users(tenant).listByEmails(
    made.flatMap(({ claimed, proved }) => [...claimed, ...proved]),
  )
  const known = new Set(members.map(({ email }) => email?.toLowerCase()))
  return {
    authorUserIds: members.map(({ id }) => id),
    unknownAuthor:
      !complete ||
      pushes === null ||
      made.some(({ proved }) => !proved.some((email) => known.has(email.toLowerCase()))),
  }
}
