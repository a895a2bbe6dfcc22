import type { Harness } from '../create-harness.ts'
import type { TestOrganization } from '../test-organization.ts'
import type { TestUser } from '../test-user.ts'

export type Owner = { organization: TestOrganization; user: TestUser }

/**
 * Owners of six organizations by turns. Calls of Git hosts of one organization hold at most ten of the worker's 50
 * slots (activities/git/git-activity.ts), and a job that is blocked at its call holds one.
 */
export async function sharedOwners(harness: Harness): Promise<() => Owner> {
  const owners = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const organization = await harness.organization()
      return { organization, user: await organization.user('Owner') }
    }),
  )
  let turn = 0
  return () => {
    turn += 1
    const owner = owners[turn % owners.length]
    if (!owner) throw new Error('no owner')
    return owner
  }
}
