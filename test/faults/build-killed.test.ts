import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applicationOf, building } from '../harness/git/application-of.ts'
import { eventually, gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { below, processesOf, type Process, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'
import { hasBwrap, why } from '../gateways/sandbox/shell-sandbox.ts'

// A worker that is killed in the middle of a build.
describe.skipIf(!hasBwrap)(`kill -9 of a worker that builds (${why})`, () => {
  let harness: GitHarness
  let processes: Processes
  let worker: Process
  let owner: TestUser
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    processes = await processesOf(harness, {
      CC_PRIVATE_HOSTS: `git=127.0.0.1:${harness.peer.server.port}`,
    })
    worker = await processes.startWorker()
    owner = await (await harness.organization()).user('Owner')
  })
  afterAll(async () => {
    await processes?.close()
    await harness?.close()
  })

  test('the next worker builds again: one artifact, one end, and no program of the first is left', async () => {
    const application = await applicationOf(
      harness,
      owner,
      building('echo begun; sleep 15; mkdir dist; echo made > dist/x; echo ended'),
    )
    const run = await application.run({ start: true })
    await eventually(async () => (await run.lines('build')).includes('begun'))
    const steps = below(worker.pid, 'sleep')
    expect(steps).toHaveLength(1)
    await worker.kill()
    await eventually(async () => steps.every((pid) => !readdirSync('/proc').includes(String(pid))))
    worker = await processes.startWorker()
    const shown = await eventually(
      async () => {
        const now = await run.shown()
        return now.state !== 'running' && now
      },
      { looks: 1_400 },
    )
    expect(shown, worker.said().slice(-2_000)).toMatchObject({ state: 'succeeded' })
    const lines = await run.lines('build')
    expect(lines).toContain('The worker was lost. Beginning this stage again.')
    expect(lines.filter((line) => line.startsWith('Artifact '))).toHaveLength(1)
    const { platform } = harness.deps.store
    expect(await platform('artifacts').where({ pipelineRunId: run.id })).toHaveLength(1)
    const { entries } = (await owner.get('/api/audit?limit=100')).json()
    const ends = entries.filter(
      ({ event }: { event: string }) => event === 'pipeline.run_succeeded',
    )
    expect(ends).toHaveLength(1)
  })
})
