import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { requestApplicationStart } from '../../app/runs/request-application-start.ts'
import { deployWorld, type DeployWorld } from '../harness/deploy/deploy-world.ts'
import { eventually } from '../harness/eventually.ts'
import type { ApplicationRunOfTest } from '../harness/git/application-of.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'

// A worker that is killed while its hosts work: before their answer, and while they go back.
describe('kill -9 of a worker that deploys', () => {
  let harness: Harness
  let processes: Processes
  let worker: Process
  let world: DeployWorld
  beforeAll(async () => {
    harness = await createHarness()
    processes = await processesOf(harness)
    worker = await processes.startWorker()
    world = await deployWorld(harness)
    for (const name of ['a', 'b', 'c']) await world.hosts.add(name)
  })
  afterAll(async () => {
    await processes?.close()
    await harness?.close()
  })

  const rolling = 'strategy: s\nstrategies: { s: { kind: rolling, batch: 1 } }'
  const started = async () => {
    const run = await world.built({ deploy: rolling })
    await harness.deps.store.tenant(world.org.id, async (tenant) =>
      requestApplicationStart(tenant, {
        id: run.id,
        number: run.id,
        pipelineId: world.pipelineId,
        pipelineName: 'shop',
      }),
    )
    return run
  }
  const over = async (run: ApplicationRunOfTest) =>
    eventually(
      async () => {
        const shown = await run.shown()
        return shown.state !== 'running' && shown
      },
      { looks: 1_400 },
    )
  const killed = async () => {
    await worker.kill()
    worker = await processes.startWorker()
  }
  const deploysOf = async (run: ApplicationRunOfTest) =>
    (await run.lines('deploy')).filter((line) => line.startsWith('Batch '))

  test('each host is told once, and the run succeeds', async () => {
    const run = await started()
    for (const name of ['a', 'b', 'c']) {
      await eventually(async () => (await world.hosts.wanted()).length === 1)
      await killed()
      await world.hosts.beat()
      expect(await world.hosts.answer()).toEqual([`${name} deploy`])
    }
    expect((await over(run)).state).toBe('succeeded')
    expect(await deploysOf(run)).toEqual([
      'Batch 1 of 3, deploy: a.',
      'Batch 2 of 3, deploy: b.',
      'Batch 3 of 3, deploy: c.',
    ])
  })

  test('while hosts go back: they do so once, and the run fails', async () => {
    const run = await started()
    await eventually(async () => (await world.hosts.wanted()).length === 1)
    await world.hosts.beat()
    await world.hosts.answer(() => 'switched')
    await eventually(async () =>
      (await world.hosts.wanted()).some(({ wanted }) => wanted === 'rollback'),
    )
    await killed()
    await world.hosts.beat()
    expect(await world.hosts.answer()).toEqual(['a rollback'])
    expect(await over(run)).toMatchObject({ state: 'failed', reason: 'deploy_errored' })
    const lines = await run.lines('deploy')
    expect(lines.filter((line) => line.startsWith('Going back'))).toEqual(['Going back: a.'])
  })
})
