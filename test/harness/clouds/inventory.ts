import type { Harness } from '../create-harness.ts'
import type { TestUser } from '../test-user.ts'

/** The inventory of one organization as a test compares it. */
export const inventoryOf = (harness: Harness, viewer: TestUser) => {
  const resources = async (query = 'state=all') =>
    (await viewer.get(`/api/cloud/resources?${query}&limit=200`))
      .json()
      .resources.toSorted((a: { cloudId: string }, b: { cloudId: string }) =>
        a.cloudId < b.cloudId ? -1 : 1,
      )
  return {
    resources,
    states: async () =>
      Object.fromEntries(
        (await resources()).map(({ name, state }: { name: string; state: string }) => [
          name,
          state,
        ]),
      ),
    /** Every row with the transaction that wrote it. */
    written: async () => {
      const { platform } = harness.deps.store
      return platform('cloud_resources')
        .where({ organizationId: viewer.organizationId })
        .orderBy('id')
        .select('id', platform.raw('xmin::text'))
    },
  }
}
