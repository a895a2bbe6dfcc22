import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rebuildDays } from '../../../app/finops/rebuild-days.ts'
import { notedRebuilds } from '../../../store/platform/noted-rebuilds.ts'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/hold-resources.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

const march = 'from=2026-03-01&to=2026-03-31'
const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0)

describe('whose cost it is', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    org = await harness.organization()
    owner = await org.user('Owner')
  })

  const store = async (charges: Array<Parameters<typeof charge>[0]>) =>
    storeCharges(harness.deps.store.platform, org.id, charges.map(charge))
  const ask = async (path: string) => (await owner.get(`/api/finops/${path}${march}`)).json()

  test('200: past 500 workspaces the rest is one sum, and all of it is the total', async () => {
    const { rows } = await harness.deps.store.platform.raw(
      `insert into workspaces (organization_id, name)
       select ?, 'made-' || n from generate_series(1, 502) n returning id`,
      [org.id],
    )
    await store([
      ...rows.map((row: { id: number }, n: number) => ({
        owner: 'workspace' as const,
        workspaceId: row.id,
        effective: String(n + 1),
      })),
      { owner: 'unmanaged', effective: '7' },
    ])
    const { byOwner, total } = await ask('cost?')
    expect(byOwner.workspaces).toHaveLength(500)
    expect(byOwner.workspaces[0]).toMatchObject({ amount: 502, name: 'made-502' })
    expect(byOwner).toMatchObject({ rest: { workspaces: 2, amount: 3 }, unmanaged: 7 })
    const shown = byOwner.workspaces.map(({ amount }: { amount: number }) => amount)
    expect(sum(shown) + 3 + 7 + byOwner.unattributed).toBe(total)
  })

  test('200: past 200 sources the rest is one line', async () => {
    await store(
      Array.from({ length: 203 }, (_, n) => ({
        source: `upload-${n}`,
        day: n < 150 ? '2026-03-10' : '2026-03-09',
      })),
    )
    const { freshness, freshnessRest, completeThrough } = await ask('cost?')
    expect(freshness).toHaveLength(200)
    expect(freshnessRest).toEqual({ sources: 3, completeThrough: expect.any(String) })
    expect(completeThrough).toBe('2026-03-09')
  })

  test('200: what a deleted workspace owned is nobody’s at once, or its who holds it too', async () => {
    const [gone, stays] = [await org.workspace({ by: owner }), await org.workspace({ by: owner })]
    for (const workspace of [gone, stays])
      await holdResources(
        harness.deps.store,
        { organizationId: org.id, workspaceId: workspace.id },
        { day: '2026-01-01', resources: ['arn:aws:s3:::shared'] },
      )
    await store([
      { owner: 'workspace', workspaceId: gone.id, effective: '8' },
      { owner: 'workspace', workspaceId: stays.id, effective: '4' },
      { owner: 'unmanaged', effective: '2' },
    ])
    await harness.deps.store
      .platform('billing_slices')
      .where({ organizationId: org.id })
      .update({ hasCharges: true })
    expect((await ask('cost?')).byOwner).toMatchObject({ unmanaged: 2 })
    const deleted = await owner.delete(gone.url)
    expect(deleted.statusCode, deleted.body).toBe(200)
    const { byOwner } = await ask('cost?')
    expect(byOwner).toEqual({
      workspaces: [{ workspaceId: stays.id, name: stays.name, amount: 4 }],
      unmanaged: 10,
      unattributed: 0,
    })
    for (const granularity of ['day', 'month']) {
      const { groups } = await ask(`cost/series?groupBy=workspace&granularity=${granularity}&`)
      expect(
        groups.map(({ label, total }: { label: string; total: number }) => [label, total]),
      ).toEqual([
        [expect.stringMatching(/nmanaged/), 10],
        [stays.name, 4],
      ])
    }
    const noted = await notedRebuilds(harness.deps.store.platform, 1_000)
    expect(noted).toContainEqual({ organizationId: org.id, workspaceId: stays.id })
    await rebuildDays(harness.deps.store, { organizationId: org.id, workspaceId: stays.id })
  })

  test('200: untagged cost by key, service and owner, as money', async () => {
    const { id, name } = await org.workspace({ by: owner })
    const mine = { owner: 'workspace' as const, workspaceId: id }
    await store([
      { effective: '10', tags: { team: 'a', env: 'prod' } },
      { effective: '5', tags: { env: 'dev' }, service: 'Storage', ...mine },
      { effective: '3', service: 'Storage', owner: 'unmanaged' },
      { effective: '-1', tags: { rare: '' }, category: 'Credit' },
    ])
    const { untagged } = await ask('unmanaged?')
    expect(untagged).toEqual({
      tagKey: 'env',
      byKey: [
        { key: 'rare', tagged: -1, untagged: 18 },
        { key: 'team', tagged: 10, untagged: 7 },
        { key: 'env', tagged: 15, untagged: 2 },
      ],
      byService: [
        { provider: 'aws', service: 'Storage', amount: 3 },
        { provider: 'aws', service: 'Compute', amount: -1 },
      ],
      byOwner: { workspaces: [], unmanaged: 3, unattributed: -1 },
    })
    const ofTeam = (await ask('unmanaged?tagKey=team&')).untagged
    expect(ofTeam.tagKey).toBe('team')
    expect(ofTeam.byOwner).toEqual({
      workspaces: [{ workspaceId: id, name, amount: 5 }],
      unmanaged: 3,
      unattributed: -1,
    })
    // As the payload has it under the same filter.
    const payload = await ask('cost?tagKey=team&untagged=true&')
    expect(payload.byOwner).toEqual(ofTeam.byOwner)
    expect((await ask('unmanaged?service=Compute&')).untagged.byOwner.unattributed).toBe(-1)
    // On the first page alone.
    const cursor = `cursor=1_${'0'.repeat(32)}&`
    expect((await ask(`unmanaged?${cursor}`)).untagged).toBeUndefined()
  })
})
