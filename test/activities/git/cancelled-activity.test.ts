import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gitActivity } from '../../../activities/git/git-activity.ts'
import { markRepository } from '../../../activities/git/mark-repository.ts'
import { guardAll } from '../../../activities/guard-activity.ts'
import { connectDirectly } from '../../harness/git/connect-directly.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

let harness: GitHarness
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
})
afterAll(async () => harness.close())

test('an activity that is cancelled, or has timed out, sends its host no further call', async () => {
  const { peer, deps } = harness
  const { id: organizationId } = await harness.organization()
  await peer.createRepository('acme/slow', { 'main.tf': '# hi\n' })
  const connectionId = await connectDirectly(deps, organizationId, { peer, repo: 'acme/slow' })
  const environment = new MockActivityEnvironment()
  peer.server.calls.length = 0
  peer.server.fault = () => {
    environment.cancel('TIMED_OUT')
    return undefined
  }
  const activity = markRepository(gitActivityDeps(harness))
  const failure = await failureOf(environment.run(activity, { organizationId, connectionId }))
  expect([failure.fault, failure.code]).toEqual(['unavailable', 'timed_out'])
  expect(peer.server.calls).toHaveLength(1)
})

/** As many calls of organization 1 as it may have under way, until `release` is resolved. */
function tenUnderWay(deps: ReturnType<typeof gitActivityDeps>) {
  const release = Promise.withResolvers<void>()
  const held = Array.from({ length: 10 }, async () =>
    new MockActivityEnvironment().run(async () =>
      gitActivity(deps, 1, async () => release.promise),
    ),
  )
  return { release, held }
}

test('an organization has ten of the slots, and what is beyond is handed back; another has its own', async () => {
  const deps = gitActivityDeps(harness)
  const { release, held } = tenUnderWay(deps)
  const one = async (organizationId: number) =>
    new MockActivityEnvironment().run(async () =>
      gitActivity(deps, organizationId, async () => 'done'),
    )
  const refused = await failureOf(one(1))
  expect(refused).toMatchObject({ code: 'git_share_taken', retryAfterSeconds: 2 })
  expect(await one(2)).toBe('done')
  release.resolve()
  await Promise.all(held)
  expect(await one(1)).toBe('done')
})

test('what is handed back returns less and less often, about once a minute in the end', async () => {
  const deps = gitActivityDeps(harness)
  const { release, held } = tenUnderWay(deps)
  const retryAfter = async (attempt: number) => {
    const environment = new MockActivityEnvironment({ attempt })
    const work = guardAll(deps.log, { work: async () => gitActivity(deps, 1, async () => 'done') })
    const thrown: unknown = await environment.run(work.work).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ type: 'git_share_taken', category: 'BENIGN' })
    return thrown instanceof ApplicationFailure ? Number(thrown.nextRetryDelay) : Number.NaN
  }
  const delays = []
  for (let attempt = 1; attempt <= 40; attempt += 1) delays.push(await retryAfter(attempt))
  const bounds = [2, 4, 8, 16, 32, ...Array.from({ length: 35 }, () => 60)]
  for (const [index, seconds] of bounds.entries()) {
    expect(delays[index]).toBeLessThanOrEqual(seconds * 1_000)
    expect(delays[index]).toBeGreaterThanOrEqual(Math.max(2, seconds / 2) * 1_000)
    expect(delays[index]).toSatisfy(Number.isInteger)
  }
  // Not all at once.
  expect(new Set(delays.slice(5)).size).toBeGreaterThan(1)
  release.resolve()
  await Promise.all(held)
})
