import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, tofuBelow, type Processes } from '../harness/processes.ts'
import { awaits, linesOf, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { slowApply, slowPlan } from './configurations.ts'
import { expectNothingHeld, hold, isTerminalRow, rowOf, rowUntil, until } from './run-rows.ts'

// The API and the worker run as separate processes. One `kill -9` of the worker hits a run in each
// stage. Then a new worker starts, and each test checks one of the runs.
let harness: Harness
let processes: Processes
let org: TestOrganization
let author: TestUser
let second: TestUser
let recoveredAt = 0

type Case = { workspace: TestWorkspace; id: number }
const cases: Record<string, Case> = {}
const settled: Record<string, number> = {}

const begin = async (name: string, options: Parameters<TestOrganization['workspace']>[0] = {}) => {
  const workspace = await org.workspace({ by: author, ...options })
  const { id } = await startRun(author, workspace)
  return (cases[name] = { workspace, id })
}
const caseOf = (name: string): Case => {
  const found = cases[name]
  if (!found) throw new Error(`no run ${name}`)
  return found
}
const decide = (name: string, verb: 'approve' | 'reject') => {
  const { workspace, id } = caseOf(name)
  return second.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/${verb}`, {})
}
const attemptOf = (id: number) =>
  `select 1 from apply_attempts where workspace_run_id = ${id} for update`

/**
 * Waits until a run has ended, at most a minute after the new worker's start, and notes the time.
 */
const recovered = async (name: string, when = isTerminalRow) => {
  const row = await rowUntil(harness, caseOf(name).id, { when })
  settled[name] = Math.max(0, (row.endedAt?.getTime() ?? recoveredAt) - recoveredAt)
  expect(settled[name], `${name} was settled after so many ms`).toBeLessThan(60_000)
  return row
}

beforeAll(async () => {
  harness = await createHarness()
  processes = await processesOf(harness)
  await processes.startApi()
  const worker = await processes.startWorker()
  org = await harness.organization()
  author = await org.user('Owner')
  second = await org.user('Deployer')

  // Runs that wait for a person.
  const production = { criticality: 'production' } as const
  for (const name of ['awaiting', 'approvedMeanwhile', 'rejectedMeanwhile', 'applyQueued'])
    await begin(name, production)
  for (const name of Object.keys(cases)) await runUntil(author, caseOf(name), awaits)
  await author.post(`${caseOf('applyQueued').workspace.url}/lock`, { reason: 'looking' })
  await decide('applyQueued', 'approve')

  // Applied and saved, but its end is not recorded: the attempt's row is locked.
  const { id: unrecorded } = await begin('unrecorded', { files: slowApply(2) })
  await rowUntil(harness, unrecorded, { when: ({ spawnedAt }) => spawnedAt !== null })
  const heldEnd = await hold(harness, attemptOf(unrecorded))
  await until('its tofu has ended', () => tofuBelow(worker.pid).length === 0)
  await rowUntil(harness, unrecorded, { when: ({ finalized }) => finalized > 0 })

  // Has its attempt, but its program has not started: the row is locked from the start.
  const { id: unspawned } = await begin('unspawned', { files: slowApply(0) })
  await rowUntil(harness, unspawned, { when: ({ attempts }) => attempts === 1 })
  const heldSpawn = await hold(harness, attemptOf(unspawned))
  expect((await rowOf(harness, unspawned)).spawnedAt).toBeNull()

  const { id: applying, workspace } = await begin('applying', { files: slowApply(300) })
  cases['next'] = { workspace, id: (await startRun(author, workspace)).id }
  await until('it creates the slow resource', async () => {
    const lines = await linesOf(author, workspace, { id: applying, stage: 'apply' })
    return lines.some((line) => line.startsWith('terraform_data.slow: Creating'))
  })
  const { id: planning } = await begin('planning', { files: slowPlan(40) })
  await rowUntil(harness, planning, { when: ({ phase }) => phase === 'planning' })
  await until('both run tofu', () => tofuBelow(worker.pid).length >= 2)

  const ofItsOwn = tofuBelow(worker.pid)
  await worker.kill()
  for (const held of [heldEnd, heldSpawn]) await held.release()
  await until('its sandboxes died with it', () => !ofItsOwn.some(isAlive))
  // Decisions that people make while no worker runs must not be lost.
  expect((await decide('approvedMeanwhile', 'approve')).statusCode).toBe(200)
  expect((await decide('rejectedMeanwhile', 'reject')).statusCode).toBe(200)
  await author.post(`${caseOf('applyQueued').workspace.url}/unlock`, {})

  await processes.startWorker()
  recoveredAt = Date.now()
}, 600_000)
afterAll(async () => {
  console.log(`settled after the new worker was up (ms): ${JSON.stringify(settled)}`)
  await processes.close()
  await harness.close()
})

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('kill -9 of the worker', () => {
  test('while applying: failed, runner_lost, needs a refresh, and is never applied again', async () => {
    const row = await recovered('applying')
    expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', attempts: 1 })
    expectNothingHeld(row)
    // OpenTofu saves at its end and every 20 s. The created resource is in no state, so the
    // workspace is marked for a refresh.
    expect(row).toMatchObject({ found: { savedStateSerial: null }, finalized: 0, quarantined: 0 })
    const log = await linesOf(author, caseOf('applying').workspace, {
      ...caseOf('applying'),
      stage: 'apply',
    })
    expect(log.filter((line) => line.startsWith('terraform_data.slow: Creating'))).toHaveLength(1)
  })

  test('while applying: the next run of that workspace starts without an action by a person', async () => {
    const { id } = caseOf('next')
    const row = await rowUntil(harness, id, { when: ({ phase }) => phase === 'applying' })
    expect(row.needsRefresh).toBe(true)
    const { workspace } = caseOf('next')
    await author.post(`/api/pipelines/${workspace.pipelineId}/runs/${id}/cancel`)
    expect(await rowUntil(harness, id, { when: isTerminalRow })).toMatchObject({
      phase: 'failed',
      reason: 'canceled_by_user',
      locks: 0,
    })
  })

  test('after the apply has exited and before that is recorded: runner_lost, and the state is saved', async () => {
    const row = await recovered('unrecorded')
    expect(row).toMatchObject({ phase: 'failed', reason: 'runner_lost', needsRefresh: true })
    expect(row.found?.savedStateSerial).toBeGreaterThanOrEqual(1)
    expectNothingHeld(row)
    // The state is current: a new run finds no changes and clears the mark.
    const { workspace } = caseOf('unrecorded')
    const again = await startRun(author, workspace)
    const next = await rowUntil(harness, again.id, { when: isTerminalRow })
    expect(next).toMatchObject({ phase: 'succeeded', reason: 'no_changes' })
    expect((await author.get(`${workspace.url}/outputs`)).json().outputs[0].value).toBe('one')
  })

  test('before the program of the apply has started: applied once by the new worker', async () => {
    const row = await recovered('unspawned')
    expect(row).toMatchObject({ phase: 'succeeded', attempts: 1, needsRefresh: false })
    expectNothingHeld(row)
    const log = await linesOf(author, caseOf('unspawned').workspace, {
      ...caseOf('unspawned'),
      stage: 'apply',
    })
    expect(log.filter((line) => line.startsWith('terraform_data.slow: Creating'))).toHaveLength(1)
  })

  test('while planning: planned again, and applied', async () => {
    const row = await recovered('planning')
    expect(row).toMatchObject({ phase: 'succeeded', attempts: 1 })
    expectNothingHeld(row)
    const log = await linesOf(author, caseOf('planning').workspace, {
      ...caseOf('planning'),
      stage: 'plan',
    })
    expect(log).toContain('The plan was interrupted. Planning again.')
  })

  test('while the apply is queued: applied once, as approved', async () => {
    const row = await recovered('applyQueued')
    expect(row).toMatchObject({ phase: 'succeeded', attempts: 1 })
    expectNothingHeld(row)
  })

  test('while it awaits approval: it still waits, and decisions made meanwhile count', async () => {
    expect(await recovered('approvedMeanwhile')).toMatchObject({ phase: 'succeeded', attempts: 1 })
    expect(await recovered('rejectedMeanwhile')).toMatchObject({ phase: 'failed', attempts: 0 })
    expect(await rowOf(harness, caseOf('awaiting').id)).toMatchObject({
      phase: 'awaiting_approval',
      locks: 0,
    })
    expect((await decide('awaiting', 'approve')).statusCode).toBe(200)
    const row = await rowUntil(harness, caseOf('awaiting').id, { when: isTerminalRow })
    expect(row).toMatchObject({ phase: 'succeeded', attempts: 1 })
  })
})
