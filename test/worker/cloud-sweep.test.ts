import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../activities/deps.ts'
import { RowsFailed } from '../../app/platform/each-by-itself.ts'
import { unavailable } from '../../domain/errors.ts'
import { dueCloudAccounts } from '../../store/platform/due-cloud-accounts.ts'
import { cloudSweepTask } from '../../worker/tasks/cloud-sweep.ts'
import { connectedAccount } from '../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const accounts = () => harness.deps.store.platform('cloud_accounts')
const syncs = (cloudAccountId: number) =>
  harness.deps.store.platform('cloud_syncs').where({ cloudAccountId }).orderBy('id')
const sweep = async (
  workflowState: Deps['workflowState'] = async () => 'running',
  store = harness.deps.store,
) => cloudSweepTask({ store, log: harness.deps.log, workflowState }).run()

/** Temporal has the starts of an organization's workflows, as after a pass of the relay. */
const delivered = async (organizationId: number) =>
  harness.deps.store.platform('outbox').where({ organizationId }).update({ doneAt: new Date() })

/** A connected account that is not due. */
const connected = async (change: object = {}) => {
  const org = await harness.organization()
  const id = await connectedAccount(harness, org.id)
  const later = new Date(Date.now() + 3_600_000)
  await accounts()
    .where({ id })
    .update({ nextSyncAt: later, ...change })
  return { id, org, set: async (what: object) => accounts().where({ id }).update(what) }
}

test('what is due is started once, however many workers sweep, and comes again after its interval', async () => {
  const due = await connected({ nextSyncAt: new Date(0) })
  const later = await connected()
  await Promise.all([sweep(), sweep(), sweep()])
  expect(await syncs(due.id)).toMatchObject([{ trigger: 'schedule', state: 'running' }])
  expect(await syncs(later.id)).toEqual([])
  const { nextSyncAt } = await accounts().where({ id: due.id }).first()
  const minutes = (nextSyncAt.getTime() - Date.now()) / 60_000
  expect(minutes).toBeGreaterThan(29)
  expect(minutes).toBeLessThan(91)
  // Still running when it is due again: not started beside it.
  await due.set({ nextSyncAt: new Date(0) })
  await sweep()
  expect(await syncs(due.id)).toHaveLength(1)
})

test('a disconnected account and a suspended organization are left alone', async () => {
  const gone = await connected({ nextSyncAt: new Date(0) })
  const owner = await gone.org.user('Owner')
  await owner.delete(`/api/cloud/accounts/${gone.id}`)
  const suspended = await connected({ nextSyncAt: new Date(0) })
  const organizations = harness.deps.store.platform('organizations')
  await organizations.where({ id: suspended.org.id }).update({ status: 'suspended' })
  await sweep()
  expect(await syncs(gone.id)).toEqual([])
  expect(await syncs(suspended.id)).toEqual([])
})

test('an organization whose rows cannot be handled delays no other', async () => {
  const bad = await connected({ nextSyncAt: new Date(0) })
  const good = await connected({ nextSyncAt: new Date(1) })
  const { store } = harness.deps
  const failing: typeof store = {
    ...store,
    async tenant(organizationId, work) {
      if (organizationId === bad.org.id) throw new Error('no')
      return store.tenant(organizationId, work)
    },
  }
  await expect(sweep(async () => 'running', failing)).rejects.toEqual(new RowsFailed(1))
  expect(await syncs(good.id)).toHaveLength(1)
  await sweep()
  expect(await syncs(bad.id)).toHaveLength(1)
})

test('an organization with four live syncs waits, and its fifth starts once one ended', async () => {
  const { org, id } = await connected({ nextSyncAt: new Date(0) })
  const ids = [id]
  while (ids.length < 5) ids.push(await connectedAccount(harness, org.id))
  const live = () =>
    harness.deps.store
      .platform('cloud_syncs')
      .where({ organizationId: org.id, state: 'running' })
      .orderBy('id')
  await Promise.all([sweep(), sweep()])
  expect(await live()).toHaveLength(4)
  const due = await dueCloudAccounts(harness.deps.store.platform, 1_000)
  expect(due.filter(({ organizationId }) => organizationId === org.id)).toEqual([])
  const [first] = await live()
  await syncs(first.cloudAccountId)
    .clone()
    .clearOrder()
    .update({ state: 'succeeded', endedAt: new Date() })
  await sweep()
  const accountIds = (await live()).map(({ cloudAccountId }) => cloudAccountId)
  expect(new Set(accountIds)).toEqual(new Set(ids.filter((one) => one !== first.cloudAccountId)))
})

test('while Temporal is away, what is due is started and mails of health go out', async () => {
  const lost = await connected({ nextSyncAt: new Date(0) })
  await sweep()
  await delivered(lost.org.id)
  const old = new Date(Date.now() - 11 * 60_000)
  await syncs(lost.id).clone().clearOrder().update({ startedAt: old })
  const { org, set } = await connected({ status: 'healthy' })
  const admin = await org.user('SRE · Cloud Admin')
  await sweep()
  await set({ status: 'degraded', statusReason: 'The key is gone.' })
  const away = unavailable('temporal_unavailable', 'Temporal does not answer.')
  const { store } = harness.deps
  const failing: typeof store = {
    ...store,
    async tenant(organizationId, work) {
      if (organizationId === lost.org.id) throw new Error('no')
      return store.tenant(organizationId, work)
    },
  }
  await connectedAccount(harness, lost.org.id)
  const pass = sweep(async () => {
    throw away
  }, failing)
  // The first of the failures: of the syncs that are due.
  await expect(pass).rejects.toEqual(new RowsFailed(1))
  expect((await harness.mailTo(admin.email)).text).toContain('The key is gone.')
  const gone = sweep(async () => {
    throw away
  })
  await expect(gone).rejects.toBe(away)
  await syncs(lost.id).clone().clearOrder().update({ state: 'failed', endedAt: new Date() })
})

test('a sync whose workflow is lost is ended, so that the next one can start', async () => {
  const lost = await connected({ nextSyncAt: new Date(0), status: 'healthy' })
  await sweep()
  await delivered(lost.org.id)
  const old = new Date(Date.now() - 11 * 60_000)
  await syncs(lost.id).clone().clearOrder().update({ startedAt: old })
  await sweep()
  expect(await syncs(lost.id)).toMatchObject([{ state: 'running' }])
  await sweep(async () => 'missing')
  expect(await syncs(lost.id)).toMatchObject([
    { state: 'failed', reason: expect.stringContaining('lost') },
  ])
  expect(await accounts().where({ id: lost.id }).first()).toMatchObject({ status: 'healthy' })
})

test('a sync whose start waits in the outbox is not lost, however long Temporal is away', async () => {
  const waiting = await connected({ nextSyncAt: new Date(0) })
  await sweep()
  const old = new Date(Date.now() - 60 * 60_000)
  await syncs(waiting.id).clone().clearOrder().update({ startedAt: old })
  await sweep(async () => 'missing')
  expect(await syncs(waiting.id)).toMatchObject([{ state: 'running', endedAt: null }])
  // One that Temporal never takes has no workflow to come.
  await harness.deps.store
    .platform('outbox')
    .where({ organizationId: waiting.org.id })
    .update({ deadAt: new Date() })
  await sweep(async () => 'missing')
  expect(await syncs(waiting.id)).toMatchObject([{ state: 'failed' }])
})

test('one mail when an account degrades and one when it is well, to who may manage accounts', async () => {
  const { org, set } = await connected({ status: 'pending' })
  const admin = await org.user('SRE · Cloud Admin')
  const deployer = await org.user('Deployer')
  const sent = () => harness.mails.filter(({ to }) => to === admin.email)
  // Never well: the person who connects it sees its status.
  await set({ status: 'degraded' })
  await sweep()
  await set({ status: 'healthy' })
  await sweep()
  await set({ status: 'invalid_credentials', statusReason: 'Replace the key.' })
  await Promise.all([sweep(), sweep()])
  const first = await harness.mailTo(admin.email)
  expect(first.subject).toMatch(/needs attention/)
  expect(first.text).toContain('Replace the key.')
  await set({ status: 'unreachable' })
  await sweep()
  expect(sent()).toHaveLength(1)
  await set({ status: 'healthy', statusReason: null })
  await Promise.all([sweep(), sweep()])
  expect((await harness.mailTo(admin.email, 1)).subject).toMatch(/is well again/)
  await sweep()
  expect(sent()).toHaveLength(2)
  expect(harness.mails.filter(({ to }) => to === deployer.email)).toEqual([])
})
