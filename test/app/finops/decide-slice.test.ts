import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acceptSlice, discardSlice } from '../../../app/finops/decide-slice.ts'
import { removeSource } from '../../../app/finops/remove-source.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

describe('what a person decides about a bill', () => {
  let harness: Harness
  let org: TestOrganization
  let bills: ReturnType<typeof testBills>
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    org = await harness.organization()
    bills = testBills(harness.deps.store, org.id)
  })

  const by = { actor: systemActor, userId: null }
  const inOrg = async <T>(work: (tenant: Tenant) => Promise<T>, organizationId = org.id) =>
    harness.deps.store.tenant(organizationId, work)
  const swap = async (sliceId: number) =>
    swapSlice(harness.deps.store, { organizationId: org.id, sliceId })
  const events = async () =>
    (
      await bills.ask(`select event from audit_entries
        where organization_id = :organizationId and event like 'finops.%' order by id`)
    ).map(({ event }) => event)
  const charges = (days: number) =>
    Array.from({ length: days }, (_, day) => ({ digest: randomUUID(), day: `2026-03-0${day + 1}` }))

  const suspect = async () => {
    const sourceId = await bills.source()
    const current = await bills.reading(sourceId, charges(4))
    await swap(current.id)
    const shrunk = await bills.reading(sourceId, charges(1))
    expect(await swap(shrunk.id)).toBe('suspect')
    return { sourceId, current, shrunk }
  }

  test('accepted, exactly what was looked at is seen', async () => {
    const { shrunk } = await suspect()
    const accepted = await inOrg(async (tenant) => acceptSlice(tenant, shrunk.id, by))
    expect(accepted).toMatchObject({ state: 'loaded', isCurrent: true, recordsUpserted: 1 })
    expect(await bills.seen()).toMatchObject([{ slice_id: shrunk.id }])
    expect(await bills.version()).toBe(2)
    expect((await events()).slice(-2)).toEqual(['finops.slice_loaded', 'finops.slice_accepted'])
    await expect(inOrg(async (tenant) => acceptSlice(tenant, shrunk.id, by))).rejects.toMatchObject(
      { code: 'slice_not_suspect' },
    )
  })

  test('accepted a week later, its days are complete as of the look that found it', async () => {
    const { shrunk } = await suspect()
    await bills.ask(
      `update billing_slices set began_at = '2026-03-01 12:00Z', provider_names = '{"gcp": ["Google Cloud"]}'
        where organization_id = :organizationId and id = :id`,
      { id: shrunk.id },
    )
    await inOrg(async (tenant) => acceptSlice(tenant, shrunk.id, by))
    const { complete_through: through } = await bills.slice(shrunk.id)
    expect(through).toBe('2026-02-27')
  })

  test('discarded, what it was to replace stays', async () => {
    const { shrunk, current } = await suspect()
    await inOrg(async (tenant) => discardSlice(tenant, shrunk.id, by))
    expect(await bills.slice(shrunk.id)).toMatchObject({ state: 'discarded' })
    expect(await bills.seen()).toMatchObject(
      Array.from({ length: 4 }, () => ({ slice_id: current.id })),
    )
    expect((await events()).at(-1)).toBe('finops.slice_discarded')
  })

  test('409: another export took its place', async () => {
    const { sourceId, shrunk } = await suspect()
    await swap((await bills.reading(sourceId, charges(5))).id)
    for (const decide of [acceptSlice, discardSlice])
      await expect(inOrg(async (tenant) => decide(tenant, shrunk.id, by))).rejects.toMatchObject({
        code: 'export_changed',
      })
  })

  test('of an acceptance and a swap at once one comes after the other', async () => {
    const { sourceId, shrunk } = await suspect()
    const whole = await bills.reading(sourceId, charges(5))
    const [accepted] = await Promise.allSettled([
      inOrg(async (tenant) => acceptSlice(tenant, shrunk.id, by)),
      swap(whole.id),
    ])
    expect(await bills.slice(whole.id)).toMatchObject({ state: 'loaded', is_current: true })
    expect(await bills.slice(shrunk.id)).toMatchObject({ state: 'superseded', is_current: false })
    expect(['fulfilled', 'rejected']).toContain(accepted.status)
  })

  test('a source that is removed takes its cost along at once', async () => {
    const { sourceId, shrunk } = await suspect()
    const source = await inOrg(async (tenant) => billingSources(tenant).get(sourceId))
    await inOrg(async (tenant) => removeSource(tenant, source, systemActor))
    await inOrg(async (tenant) => removeSource(tenant, source, systemActor))
    expect(await bills.seen()).toEqual([])
    expect(await bills.version()).toBe(2)
    expect((await events()).filter((event) => event === 'finops.source_removed')).toHaveLength(1)
    for (const decide of [acceptSlice, discardSlice])
      await expect(inOrg(async (tenant) => decide(tenant, shrunk.id, by))).rejects.toMatchObject({
        code: 'not_found',
      })
    // An upload of the same name begins anew.
    expect(await bills.source(source.name ?? '')).not.toBe(sourceId)
  })

  test('404: of another organization', async () => {
    const { sourceId, shrunk } = await suspect()
    const other = await harness.organization()
    for (const decide of [
      async (tenant: Tenant) => acceptSlice(tenant, shrunk.id, by),
      async (tenant: Tenant) => discardSlice(tenant, shrunk.id, by),
      async (tenant: Tenant) => billingSources(tenant).get(sourceId),
    ])
      await expect(inOrg<unknown>(decide, other.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})
