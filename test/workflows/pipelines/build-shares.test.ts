import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  applicationOf,
  building,
  type ApplicationRunOfTest,
} from '../../harness/git/application-of.ts'
import {
  eventually,
  gitHarness,
  peerMakers,
  type GitHarness,
} from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { historyClient } from '../../histories/write-history.ts'
import { hasBwrap, why } from '../../gateways/sandbox/shell-sandbox.ts'

// A worker has two slots for builds, and one organization has more builds than that
// (docs/decisions/0117).
describe.skipIf(!hasBwrap)(`the share of an organization of the slots for builds (${why})`, () => {
  let harness: GitHarness
  let greedy: TestUser
  let other: TestUser
  let client: Client
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer)
    // Both exist from the start: the only organization may take all slots.
    greedy = await (await harness.organization()).user('Owner')
    other = await (await harness.organization()).user('Owner')
    client = await historyClient(harness)
  })
  afterAll(async () => {
    await client?.connection.close()
    await harness?.close()
  })

  const begun = async (run: ApplicationRunOfTest) => (await run.lines('build')).includes('begun')
  const standing = async (runs: readonly ApplicationRunOfTest[]) => {
    const shown = await Promise.all(
      runs.map(async (run) => ({ run, begun: await begun(run), ...(await run.shown()) })),
    )
    const running = shown.filter(({ state }) => state === 'running')
    return {
      building: running.filter((one) => one.begun && one.blockedBy === null),
      waiting: running.filter(({ blockedBy }) => blockedBy?.kind === 'capacity'),
    }
  }
  const whenWaiting = async (runs: readonly ApplicationRunOfTest[], waits: number) =>
    eventually(async () => {
      const now = await standing(runs)
      return now.building.length === 1 && now.waiting.length === waits && now
    })

  test('long builds fill it: another organization builds meanwhile, and a slot wakes one that waits', async () => {
    const slow = await applicationOf(
      harness,
      greedy,
      building('mkdir dist; : > dist/x; echo begun; sleep 100'),
    )
    const runs: ApplicationRunOfTest[] = []
    for (let count = 0; count < 3; count += 1) runs.push(await slow.run({ start: true }))
    const first = await whenWaiting(runs, 2)

    const quick = await applicationOf(harness, other, building('mkdir dist; : > dist/x'))
    const theirs = await quick.run({ start: true })
    await eventually(async () => (await theirs.shown()).state === 'succeeded')
    expect((await standing(runs)).building.map(({ run }) => run.id)).toEqual(
      first.building.map(({ run }) => run.id),
    )

    // Nothing of an attempt was counted for those that wait, and their workflows wait without work.
    for (const { run, workflowId } of first.waiting) {
      const counts = await harness.deps.store
        .platform('application_runs')
        .where({ pipelineRunId: run.id })
        .first('buildsBegun')
      expect(counts).toEqual({ buildsBegun: 0 })
      const { historyLength } = await client.workflow.getHandle(workflowId).describe()
      expect(historyLength).toBeLessThan(100)
    }

    let left = runs
    for (const waits of [1, 0]) {
      const { building: under } = await whenWaiting(left, waits + 1)
      const id = under[0]?.run.id
      expect((await greedy.post(`${under[0]?.run.url}/cancel`, {})).statusCode).toBe(200)
      left = left.filter((run) => run.id !== id)
      await whenWaiting(left, waits)
    }
    await greedy.post(`${left[0]?.url}/cancel`, {})
  })
})
