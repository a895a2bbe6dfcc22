import { afterAll, beforeAll, expect, test } from 'vitest'
import { workspaceResources } from '../../../store/clouds/workspace-resources.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/hold-resources.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const buckets = (count: number) => Array.from({ length: count }, (_, n) => `arn:aws:s3:::b-${n}`)

/** Workspaces whose states all hold these resources. */
async function sharing(count: number, resources: readonly string[]) {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const ids: number[] = []
  const hold = async (workspaceId: number, held: readonly string[], day = '2026-03-01') =>
    holdResources(
      harness.deps.store,
      { organizationId: org.id, workspaceId },
      { day, resources: held },
    )
  for (let n = 0; n < count; n += 1) {
    const { id } = await org.workspace({ by: owner })
    ids.push(id)
    await hold(id, resources)
  }
  const found = async (workspaceIds = ids) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      workspaceResources(tenant).heldTwice(workspaceIds),
    )
  return { org, ids, hold, found }
}

test('the work does not grow with how many other workspaces hold the same resources', async () => {
  const { org, ids } = await sharing(30, buckets(20))
  const read = await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)
    const fetched = async (): Promise<number> => {
      const { rows } = await db.raw(`select idx_tup_fetch + seq_tup_read as fetched
        from pg_stat_xact_user_tables where relname = 'workspace_resources'`)
      return Number(rows[0].fetched)
    }
    // As it is where the table is too large to be read as a whole.
    await db.raw(`select set_config('enable_seqscan', 'off', true)`)
    const before = await fetched()
    expect((await workspaceResources(tenant).heldTwice(ids)).size).toBe(30)
    return (await fetched()) - before
  })
  // The row, and of its id two at most: its own may be the first.
  expect(read).toBeLessThanOrEqual(30 * 20 * 3)
})

test('of a workspace 100 are counted, and the first three shown', async () => {
  const { ids, found } = await sharing(2, buckets(120))
  const [one = 0, two = 0] = ids
  const held = await found()
  expect([one, two].map((id) => held.get(id)?.total)).toEqual([100, 100])
  expect(held.get(one)?.first.map(({ workspace }) => workspace.id)).toEqual([two, two, two])
})

test('what the other one gave up does not hide what it holds still', async () => {
  const { ids, hold, found } = await sharing(2, buckets(150))
  const [one = 0, two = 0] = ids
  // Of all but the 20 that are the last in the order of the rows of the first workspace.
  const byKey: Array<{ cloudId: string }> = await harness.deps.store
    .platform('workspace_resources')
    .where({ workspaceId: one })
    .orderBy('id')
    .select('cloudId')
  const last = byKey.slice(-20).map(({ cloudId }) => cloudId)
  await hold(two, last, '2026-03-02')
  expect((await found()).get(one)?.total).toBe(20)
})

test('400: a list that takes too long says what to ask for', async () => {
  const { org } = await sharing(2, buckets(1))
  const viewer = await org.user('Viewer')
  await harness.deps.store.platform.transaction(async (trx) => {
    // A statement that waits for a lock runs too.
    await trx.raw('lock table workspace_resources in access exclusive mode')
    const answer = await viewer.get('/api/workspaces?limit=200')
    expect(answer.statusCode, answer.body).toBe(400)
    expect(answer.json()).toEqual({
      error: 'The list took too long. Ask for fewer workspaces at once, with a smaller limit.',
      code: 'search_too_broad',
      details: [{ path: 'limit', message: 'is too large for these workspaces' }],
    })
  })
}, 30_000)
