import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { cuttableLink, type CuttableLink } from '../harness/cuttable-link.ts'
import {
  below,
  processesOf,
  tofuBelow,
  type Process,
  type Processes,
} from '../harness/processes.ts'
import { linesOf, startRun } from '../harness/runs.ts'
import { heldApply, slowApply } from './configurations.ts'
import { expectNothingHeld, isTerminalRow, rowOf, rowUntil, until } from './run-rows.ts'

// A worker is cut off from the store and from Temporal while its `tofu` runs. The other processes
// treat it as lost, and then it delivers a state.
let harness: Harness
let processes: Processes
let zombie: Processes
let zombieWorker: Process
let links: Record<'database' | 'engine', CuttableLink>
beforeAll(async () => {
  harness = await createHarness()
  processes = await processesOf(harness)
  await processes.startApi()
  const database = new URL(harness.config.databaseUrl.reveal())
  links = {
    database: await cuttableLink(database.host),
    engine: await cuttableLink(harness.config.temporal.address),
  }
  database.host = links.database.address
  zombie = await processesOf(harness, {
    DATABASE_URL: database.href,
    TEMPORAL_ADDRESS: links.engine.address,
    CC_API_URL: processes.apiUrl,
  })
  zombieWorker = await zombie.startWorker()
})
afterAll(async () => {
  await zombie.close()
  await processes.close()
  for (const link of Object.values(links)) await link.close()
  await harness.close()
})

test('a worker is cut off and declared lost: its late state is quarantined and never current', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner, files: heldApply })
  const { id } = await startRun(owner, workspace)
  await until('it applies', async () =>
    (await linesOf(owner, workspace, { id, stage: 'apply' })).some((line) =>
      line.startsWith('terraform_data.slow: Creating'),
    ),
  )
  await until('it waits', () => below(zombieWorker.pid, 'sleep').length > 0)
  for (const link of Object.values(links)) await link.cut()
  const cutAt = Date.now()
  await processes.startWorker()
  const lost = await rowUntil(harness, id, { when: isTerminalRow })
  console.log(`failed ${(lost.endedAt?.getTime() ?? 0) - cutAt} ms after the worker was cut off`)
  expect(lost).toMatchObject({ phase: 'failed', reason: 'runner_lost', finalized: 0 })
  expectNothingHeld(lost)

  // The next run succeeds while the zombie's `tofu` still runs.
  await owner.put(`${workspace.url}/configuration`, { files: slowApply(0) })
  const next = await startRun(owner, workspace)
  expect(await rowUntil(harness, next.id, { when: isTerminalRow })).toMatchObject({
    phase: 'succeeded',
    needsRefresh: false,
  })
  const { stateSerial } = (await owner.get(workspace.url)).json().workspace
  const state = (await owner.get(`${workspace.url}/state/versions/${stateSerial}`)).body

  // The fencing token stops the zombie's `tofu` from reading the state, so OpenTofu cannot save it
  // and leaves the state in its folder. The worker finds it there and sends it once it reaches the
  // store again.
  for (const pid of below(zombieWorker.pid, 'sleep')) process.kill(pid, 'SIGKILL')
  await until('its tofu has ended', () => tofuBelow(zombieWorker.pid).length === 0)
  await links.database.mend()
  await links.engine.mend()
  await rowUntil(harness, id, { when: ({ quarantined }) => quarantined > 0 })
  const { versions } = (await owner.get(`${workspace.url}/state/versions`)).json()
  const kept = versions.find(({ runId }: { runId: number }) => runId === id)
  expect(kept).toMatchObject({ status: 'quarantined', reason: 'state_save_failed' })
  // The version is made first and its pieces are stored after it.
  await until('its state is stored', async () =>
    (await owner.get(`${workspace.url}/state/quarantined/${kept.id}`)).body.includes('one'),
  )
  expect((await owner.get(workspace.url)).json().workspace.stateSerial).toBe(stateSerial)
  expect((await owner.get(`${workspace.url}/state/versions/${stateSerial}`)).body).toBe(state)
  // The late state changes neither run's record.
  await until('its attempt is over', () =>
    zombieWorker.said().includes('"activityType":"applyRun"'),
  )
  expect(await rowOf(harness, id)).toEqual({ ...lost, quarantined: 1, needsRefresh: false })
  expect(await rowOf(harness, next.id)).toMatchObject({ phase: 'succeeded', attempts: 1 })
}, 900_000)
