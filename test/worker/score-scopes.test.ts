import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { removeSource } from '../../app/finops/remove-source.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { forgetSource } from '../../store/finops/forget-charges.ts'
import { scopeScorings } from '../../store/finops/scope-scorings.ts'
import { claimScopesToScore } from '../../store/platform/scopes-to-score.ts'
import { forgetChargesTask } from '../../worker/tasks/forget-charges.ts'
import { scoreScopesTask } from '../../worker/tasks/score-scopes.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { scopeBills, smallCosts } from '../harness/scope-bills.ts'

let harness: Harness
let of: ReturnType<typeof scopeBills>
let organizationId: number
let sourceId: number
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  ;({ id: organizationId } = await harness.organization())
  of = scopeBills(harness.deps.store, organizationId)
  const kept = await of.bills.source('kept')
  sourceId = await of.bills.source('removed')
  await of.load(kept, smallCosts(60))
  await of.load(sourceId, smallCosts(60, { services: 40, at: { 59: 580 } }))
  expect(await of.scopes()).toMatchObject([['all', '2026-03-01', 180]])
  await harness.deps.store.tenant(organizationId, async (tenant) =>
    removeSource(tenant, await billingSources(tenant).get(sourceId), systemActor),
  )
})

const forget = async () => forgetChargesTask(harness.deps).run()
const score = async () => scoreScopesTask(harness.deps).run()
const queued = async () =>
  of.bills.ask(
    `select 1 from cost_versions where organization_id = :organizationId and score_scopes_at is not null`,
  )

test('a removed source has the whole cost scored without it, once', async () => {
  expect(await queued()).toEqual([])
  await forget()
  expect(await of.bills.ask('select name from billing_sources')).toEqual([{ name: 'kept' }])
  expect(await queued()).toHaveLength(1)
  await score()
  expect(await of.scopes()).toEqual([])
  expect(await queued()).toEqual([])
})

test('what a worker leaves that dies in the scoring is scored by the next one', async () => {
  await forget()
  const { platform } = harness.deps.store
  const claimed = await claimScopesToScore(platform, 10)
  expect(claimed).toMatchObject([{ organizationId }])
  expect(await claimScopesToScore(platform, 10)).toEqual([])
  await score()
  expect(await of.scopes()).toHaveLength(1)
  await platform('cost_versions').where({ organizationId }).update({ scoreScopesAt: new Date() })
  await score()
  expect(await of.scopes()).toEqual([])
})

test('a source that is removed while the scoring runs is scored once more', async () => {
  await forget()
  const [claim] = await claimScopesToScore(harness.deps.store.platform, 10)
  await harness.deps.store.tenant(organizationId, async (tenant) => scopeScorings(tenant).askAnew())
  await harness.deps.store.tenant(organizationId, async (tenant) =>
    scopeScorings(tenant).endClaim(claim?.claimedUntil ?? ''),
  )
  expect(await queued()).toHaveLength(1)
})

test('while another worker deletes a source, nothing is done or queued', async () => {
  const { store } = harness.deps
  await store.tenant(organizationId, async (tenant) => {
    expect(await forgetSource(tenant, sourceId)).toBe('done')
    const second = await store.tenant(organizationId, async (other) =>
      forgetSource(other, sourceId),
    )
    expect(second).toBe('wait')
    expect(await queued()).toEqual([])
  })
  expect(await queued()).toHaveLength(1)
})
