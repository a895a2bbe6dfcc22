import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../config.ts'
import { startEngines, type Engines } from '../../engines/start-engines.ts'
import { connectOwner } from '../../store/driver/connect.ts'
import { migrate } from '../../store/migrate.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { processesOf, tofuBelow, type Process, type Processes } from '../harness/processes.ts'
import { awaits, linesOf, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { slowApply, slowPlan } from './configurations.ts'
import { expectNothingHeld, isTerminalRow, rowOf, rowUntil, until } from './run-rows.ts'

// This file starts its own PostgreSQL and Temporal under the supervisor that restarts them. Each
// case kills one of them while one run plans, one applies and one awaits approval. They run with
// the settings of an installation, because the throwaway PostgreSQL of other tests commits without
// fsync and loses commits at a kill.
let dataDir: string
let engines: Engines
let harness: Harness
let processes: Processes
let worker: Process
let org: TestOrganization
let author: TestUser
let second: TestUser
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cc-faults-'))
  chmodSync(dataDir, 0o711)
  engines = await startEngines({ dataDir, ui: false, say: () => undefined })
  const owner = connectOwner(new Secret(engines.databaseUrl))
  await migrate(owner)
  await owner.destroy()
  const { databaseUrl: DATABASE_URL, temporalEnv } = engines
  harness = await createHarness({ env: { DATABASE_URL, ...temporalEnv } })
  processes = await processesOf(harness)
  await processes.startApi()
  worker = await processes.startWorker()
  org = await harness.organization()
  author = await org.user('Owner')
  second = await org.user('Deployer')
})
afterAll(async () => {
  await processes?.close()
  await harness?.close()
  await engines?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

type Case = { workspace: TestWorkspace; id: number }

const begin = async (options: Parameters<TestOrganization['workspace']>[0]): Promise<Case> => {
  const workspace = await org.workspace({ by: author, ...options })
  const { id } = await startRun(author, workspace)
  return { workspace, id }
}

/** Starts three runs: one awaits approval, one applies, one plans. */
const beginThree = async (applySeconds: number) => {
  const waiting = await begin({ criticality: 'production' })
  await runUntil(author, waiting, awaits)
  const applying = await begin({ files: slowApply(applySeconds) })
  await until('it applies', async () =>
    (await linesOf(author, applying.workspace, { id: applying.id, stage: 'apply' })).some((line) =>
      line.startsWith('terraform_data.slow: Creating'),
    ),
  )
  const planning = await begin({ files: slowPlan(100) })
  await until('both run tofu', () => tofuBelow(worker.pid).length >= 2)
  return { waiting, applying, planning }
}

/** Sends `kill -9`, and returns when the supervisor has restarted the part. */
const killPart = async (name: string): Promise<number> => {
  const part = engines.parts().find((one) => one.name === name)
  const pid = part?.pid()
  if (!part || !pid) throw new Error(`${name} does not run`)
  const before = part.restarts()
  process.kill(pid, 'SIGKILL')
  await until(`${name} was started again`, () => part.restarts() > before)
  await until('runs can be started again', async () => {
    const workspace = await org.workspace({ by: author }).catch(() => undefined)
    if (!workspace) return false
    return (await author.post(`${workspace.url}/plan`, {})).statusCode === 201
  })
  return Date.now()
}

const appliedOnce = async ({ workspace, id }: Case) => {
  const log = await linesOf(author, workspace, { id, stage: 'apply' })
  expect(log.filter((line) => line.startsWith('terraform_data.slow: Creating'))).toHaveLength(1)
}

describe.each(['postgres', 'temporal'])('kill -9 of %s', (name) => {
  test('every run ends or waits for approval, and nothing is applied twice', async () => {
    const { waiting, applying, planning } = await beginThree(8)
    const before = await rowOf(harness, waiting.id)
    const logged = await linesOf(author, applying.workspace, { id: applying.id, stage: 'apply' })
    const upAt = await killPart(name)
    const limit = { when: isTerminalRow }

    const planned = await rowUntil(harness, planning.id, limit)
    const applied = await rowUntil(harness, applying.id, limit)
    for (const [what, row] of Object.entries({ planned, applied }))
      console.log(`${name}, ${what}: ${(row.endedAt?.getTime() ?? 0) - upAt} ms after it was up`)

    expect(planned, String(planned.message)).toMatchObject({ phase: 'succeeded', attempts: 1 })
    // The worker lives and its program finished, so a short outage does not fail the apply.
    expect(applied, String(applied.message)).toMatchObject({
      phase: 'succeeded',
      attempts: 1,
      quarantined: 0,
      needsRefresh: false,
    })
    for (const row of [planned, applied]) expectNothingHeld(row)
    await appliedOnce(applying)
    // No log line from before the kill is lost.
    const now = await linesOf(author, applying.workspace, { id: applying.id, stage: 'apply' })
    expect(now.slice(0, logged.length)).toEqual(logged)

    expect(await rowOf(harness, waiting.id)).toEqual(before)
    const { workspace, id } = waiting
    const url = `/api/pipelines/${workspace.pipelineId}/runs/${id}/approve`
    expect((await second.post(url, {})).statusCode).toBe(200)
    expect(await rowUntil(harness, id, limit)).toMatchObject({ phase: 'succeeded', attempts: 1 })
  }, 400_000)
})
