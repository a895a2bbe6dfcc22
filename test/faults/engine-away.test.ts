import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ensureNamespace } from '../../engines/ensure-namespace.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { payloadAuthentication } from '../../gateways/temporal/payload-authentication.ts'
import {
  controlQueue,
  reconcileScheduleId,
  reconcileType,
} from '../../workflows/platform/contract.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { eventually } from '../harness/git/git-harness.ts'
import { cuttableLink, type CuttableLink } from '../harness/cuttable-link.ts'
import { awaits, isOver, runUntil, startRun } from '../harness/runs.ts'
import { startWorker, type TestWorker } from '../harness/start-worker.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { slowApply } from './configurations.ts'
import { expectNothingHeld, isTerminalRow, rowOf, rowUntil } from './run-rows.ts'

// Postgres and Temporal disagree here: what Postgres has committed does not reach Temporal.
let link: CuttableLink
let harness: Harness
let connection: Connection
let client: Client
let org: TestOrganization
let author: TestUser
let second: TestUser
beforeAll(async () => {
  const address = inject('temporalEnv')['TEMPORAL_ADDRESS'] ?? ''
  link = await cuttableLink(address)
  harness = await createHarness({ worker: true, env: { TEMPORAL_ADDRESS: link.address } })
  const { temporal } = harness.config
  // Connects directly, so that the test's own connection is never cut.
  connection = await Connection.connect({
    ...connectionOptions(harness.config),
    address,
  })
  client = new Client({
    connection,
    namespace: temporal.namespace,
    dataConverter: { payloadCodecs: [payloadAuthentication(harness.deps.keyring)] },
  })
  org = await harness.organization()
  author = await org.user('Owner')
  second = await org.user('Deployer')
})
afterAll(async () => {
  await link.mend().catch(() => undefined)
  await harness.close()
  await connection.close()
  await link.close()
})

const waitingRun = async () => {
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const { id } = await startRun(author, workspace)
  const waiting = await runUntil(author, { workspace, id }, awaits)
  expect(waiting.awaitingApproval).toBe(true)
  const url = `/api/pipelines/${workspace.pipelineId}/runs/${id}`
  return { workspace, id, url, handle: client.workflow.getHandle(waiting.workflowId) }
}
const counts = async (table: string): Promise<number> =>
  Number((await harness.deps.store.platform(table).count('* as n').first())?.['n'])

describe('Temporal is unreachable', () => {
  test('503 engine_unavailable: a start is refused and creates nothing', async () => {
    const workspace = await org.workspace({ by: author })
    const tables = ['workspace_runs', 'pipeline_runs', 'stages', 'outbox', 'audit_entries']
    const before = await Promise.all(tables.map(counts))
    await link.cut()
    // The API caches Temporal's health for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    for (const path of [
      `${workspace.url}/apply`,
      `${workspace.url}/plan`,
      `/api/pipelines/${workspace.pipelineId}/run`,
    ]) {
      const answer = await author.post(path, {})
      expect([answer.statusCode, answer.json().code], path).toEqual([503, 'engine_unavailable'])
    }
    expect(await Promise.all(tables.map(counts))).toEqual(before)
    await link.mend()
    await runUntil(author, { workspace, id: (await retryStart(workspace.url)).id }, isOver)
  })

  test('200: an approval is accepted, and delivered once Temporal is back', async () => {
    const { workspace, id, url } = await waitingRun()
    await link.cut()
    expect((await second.post(`${url}/approve`, {})).statusCode).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(await rowOf(harness, id)).toMatchObject({ phase: 'apply_queued', attempts: 0 })
    await link.mend()
    const mendedAt = Date.now()
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run.state).toBe('succeeded')
    console.log(`applied ${Date.now() - mendedAt} ms after the engine was back`)
  })

  test('what waits is delivered however long Temporal was away; what Temporal itself refuses is left for an operator', async () => {
    const { workspace, id, url, handle } = await waitingRun()
    const { platform } = harness.deps.store
    const row = (where: object) => platform('outbox').where(where).orderBy('id', 'desc').first()
    await link.cut()
    expect((await second.post(`${url}/approve`, {})).statusCode).toBe(200)
    const signal = { workflowId: handle.workflowId, kind: 'signal' }
    // As after half an hour.
    await platform('outbox').where(signal).whereNull('doneAt').update({ attempts: 250 })
    // An attempt that failed for want of Temporal no longer counts.
    await eventually(async () => (await row(signal)).attempts < 250)
    expect(await row(signal)).toMatchObject({ doneAt: null, deadAt: null })
    await link.mend()
    expect((await runUntil(author, { workspace, id }, isOver)).state).toBe('succeeded')

    // Longer than an id may be.
    const refused = { kind: 'start', workflowId: 'x'.repeat(2_000) }
    await platform('outbox').insert({
      ...refused,
      workflowType: 'unknown',
      taskQueue: 'unknown',
      dedupeKey: 'refused',
      attempts: 250,
    })
    await eventually(async () => (await row(refused)).deadAt !== null)
    expect((await row(refused)).doneAt).toBeNull()
  })

  const retryStart = async (url: string) => {
    for (;;) {
      const answer = await author.post(`${url}/apply`, {})
      if (answer.statusCode === 201) return answer.json().run
    }
  }
})

describe('signals', () => {
  test('a forged or repeated `decided` changes nothing', async () => {
    const { workspace, id, url, handle } = await waitingRun()
    const before = await rowOf(harness, id)
    for (let n = 0; n < 5; n += 1) await handle.signal('decided')
    await handle.signal('decided', { approved: true, by: second.id })
    await handle.signal('approved', { by: second.id })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(await rowOf(harness, id)).toEqual(before)
    expect((await handle.describe()).status.name).toBe('RUNNING')

    // The workflow still works: the real decision is carried out.
    expect((await second.post(`${url}/approve`, {})).statusCode).toBe(200)
    await handle.signal('decided')
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run.state).toBe('succeeded')
    expect((await rowOf(harness, id)).attempts).toBe(1)
  })

  test('a signal that is not signed with the keyring is ignored by the workflow', async () => {
    const { workspace, id, url, handle } = await waitingRun()
    const stranger = new Client({
      connection,
      namespace: harness.config.temporal.namespace,
    })
    await stranger.workflow.getHandle(handle.workflowId).signal('decided', { approved: true })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect((await rowOf(harness, id)).phase).toBe('awaiting_approval')
    expect((await second.post(`${url}/approve`, {})).statusCode).toBe(200)
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    expect(row).toMatchObject({ phase: 'succeeded', attempts: 1 })
    expectNothingHeld(row)
    await runUntil(author, { workspace, id }, isOver)
  })
})

describe('a workflow is terminated in Temporal', () => {
  test('while it waits for approval: its run fails within a minute, and the next run proceeds', async () => {
    const { workspace, id, handle } = await waitingRun()
    const next = await startRun(author, workspace)
    await handle.terminate('an operator did it')
    const at = Date.now()
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    console.log(`failed ${Date.now() - at} ms after the workflow was terminated`)
    expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', needsRefresh: false })
    expectNothingHeld(row)
    await rowUntil(harness, next.id, { when: ({ phase }) => phase === 'awaiting_approval' })
  })

  test('while it applies: its run fails once its program is gone, needs a refresh and holds nothing', async () => {
    const workspace = await org.workspace({ by: author, files: slowApply(120) })
    const { id, workflowId } = await startRun(author, workspace)
    await rowUntil(harness, id, { when: ({ spawnedAt }) => spawnedAt !== null })
    const next = await startRun(author, workspace)
    await client.workflow.getHandle(workflowId).terminate('an operator did it')
    const row = await rowUntil(harness, id, { when: isTerminalRow })
    expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', needsRefresh: true })
    // An attempt that outlives its run would apply beside the next run.
    expect(row.attemptEndedAt?.getTime()).toBeLessThanOrEqual(row.endedAt?.getTime() ?? 0)
    expectNothingHeld(row)
    await rowUntil(harness, next.id, { when: ({ phase }) => phase === 'applying' })
    const cancel = `/api/pipelines/${workspace.pipelineId}/runs/${next.id}/cancel`
    await author.post(cancel)
    await rowUntil(harness, next.id, { when: isTerminalRow })
  })
})

describe('a start is lost', () => {
  let other: Harness
  let worker: TestWorker | undefined
  beforeAll(async () => {
    other = await createHarness()
  })
  afterAll(async () => {
    await worker?.stop()
    await other.close()
  })

  test('the reconciler starts a run whose outbox entry is gone', async () => {
    const place = await other.organization()
    const owner = await place.user('Owner')
    const workspace = await place.workspace({ by: owner })
    const { id } = await startRun(owner, workspace)
    // The same happens when the outbox is restored from an older backup.
    const lost = await other.deps.store.platform('outbox').where({ kind: 'start' }).delete()
    expect(lost).toBe(1)

    const { temporal } = other.config
    await ensureNamespace(connection, temporal.namespace)
    const temporalClient = new Client({ connection, namespace: temporal.namespace })
    const { schedule } = temporalClient
    await schedule.create({
      scheduleId: reconcileScheduleId,
      spec: { intervals: [{ every: '1 day' }] },
      action: {
        type: 'startWorkflow',
        workflowType: reconcileType,
        taskQueue: controlQueue,
        args: [],
      },
    })
    worker = await startWorker(other.deps, inject('workflowBundle'))
    const at = Date.now()
    const row = await rowUntil(other, id, { when: isTerminalRow })
    console.log(`over ${Date.now() - at} ms after the worker was up`)
    expect(row).toMatchObject({ phase: 'succeeded', attempts: 1 })
    // The schedule of an earlier version is deleted, and the list of workflows shows no
    // housekeeping.
    await expect(schedule.getHandle(reconcileScheduleId).describe()).rejects.toThrow(
      ScheduleNotFoundError,
    )
    const listed = await eventually(async () => {
      const found = []
      for await (const { workflowId } of temporalClient.workflow.list()) found.push(workflowId)
      return found.length > 0 && found
    })
    expect(listed).toEqual([expect.stringMatching(/^org-\d+\/infra-run\/\d+$/)])
    const description = await temporalClient.workflow.getHandle(listed[0] ?? '').describe()
    expect(await description.staticSummary()).toMatch(/^[\w-]+, run 1, apply$/)
  })
})
