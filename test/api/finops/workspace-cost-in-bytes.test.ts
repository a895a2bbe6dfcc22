import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { loadCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
let owner: ReturnType<typeof connectOwner>
beforeAll(async () => {
  harness = await createHarness()
  owner = connectOwner(harness.config.databaseUrl)
})
afterAll(async () => {
  await owner.destroy()
  await harness.close()
})

test('200: the resources of a workspace end by their bytes, and its total is of all of them', async () => {
  const org = await harness.organization()
  const db = harness.deps.store.platform
  const workspace = await org.workspace()
  const count = 1_000
  const ids = Array.from({ length: count }, (_, n) => `arn:aws:s3:::${n}`.padEnd(1_900, 'a'))
  await db.batchInsert(
    'workspace_resources',
    ids.map((cloudId, n) => ({
      organizationId: org.id,
      workspaceId: workspace.id,
      type: 'aws_s3_bucket',
      provider: 'aws',
      attributes: '{}',
      cloudId,
      address: `aws_s3_bucket.a${n}`,
      heldFrom: '2026-03-10',
    })),
    100,
  )
  const charges = ids.map((resourceId, n) => ({
    resourceId,
    day: '2026-03-15',
    effective: `${n + 1}.01`,
    tags: { team: 'a' },
  }))
  await loadCharges({ owner, db, organizationId: org.id }, charges)
  // As autovacuum does after so many rows. A plan without statistics takes 20 s.
  await owner.raw('analyze')
  const viewer = await org.user('Viewer')
  const { body } = await viewer.get(
    `/api/workspaces/${workspace.id}/cost?from=2026-03-01&to=2026-03-31`,
  )
  expect(Buffer.byteLength(body)).toBeLessThan(524_288)
  const { total, resources } = JSON.parse(body)
  expect(total).toBe(500_510)
  expect(resources.length).toBeGreaterThan(150)
  expect(resources.map(({ amount }: { amount: number }) => amount)).toEqual(
    resources.map((_: unknown, n: number) => Number(`${count - n}.01`)),
  )
})
