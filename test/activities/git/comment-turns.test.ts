import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { writeComment } from '../../../activities/git/write-comment.ts'
import { gitPullRequests } from '../../../store/git/git-pull-requests.ts'
import { connectDirectly } from '../../harness/git/connect-directly.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { PeerFault, PeerRequest } from '../../harness/git/peer-server.ts'

// Writers of the one comment on a pull request, at the same time.
let harness: GitHarness
let organizationId: number
let counter = 0
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  organizationId = (await harness.organization()).id
})
afterEach(() => {
  harness.peer.server.fault = () => undefined
  vi.restoreAllMocks()
})
afterAll(async () => harness?.close())

const pulled = async () => {
  counter += 1
  const { peer, deps } = harness
  const repo = `acme/turns-${counter}`
  await peer.createRepository(repo, { 'live/main.tf': '# one\n' })
  const connectionId = await connectDirectly(deps, organizationId, { peer, repo })
  await peer.branch(repo, 'main', 'feature')
  const number = await peer.openPull(repo, { from: 'feature' })
  const { id } = await deps.store.tenant(organizationId, async (tenant) =>
    gitPullRequests(tenant).of(connectionId, repo, number),
  )
  return { repo, number, id }
}
const write = async (pullRequestId: number) =>
  new MockActivityEnvironment({ attempt: 1 }).run(writeComment(gitActivityDeps(harness)), {
    organizationId,
    pullRequestId,
  })
const rows = (id: number) => harness.deps.store.platform('git_pull_requests').where({ id })
const row = async (id: number) => rows(id).first()
const runOut = async (id: number) => rows(id).update({ busyUntil: new Date(Date.now() - 1_000) })
const isSearch = ({ method, path }: PeerRequest) => method === 'GET' && path.endsWith('/notes')

/** Holds each writer where it looks for the comment, until the test answers it. */
const heldSearches = () => {
  const arrivals: Array<PromiseWithResolvers<(answer: PeerFault) => void>> = [
    Promise.withResolvers(),
    Promise.withResolvers(),
  ]
  let arrived = 0
  harness.peer.server.fault = async (request, when) => {
    if (when === 'after' || !isSearch(request)) return undefined
    const answer = Promise.withResolvers<PeerFault>()
    arrivals[arrived++]?.resolve(answer.resolve)
    return answer.promise
  }
  return arrivals.map(({ promise }) => promise)
}

test('a writer whose lease ran out does not end the lease of the next one', async () => {
  const { repo, number, id } = await pulled()
  const [first, second] = heldSearches()
  const slow = failureOf(write(id))
  const answerFirst = await first
  await runOut(id)
  const next = write(id)
  const answerSecond = await second
  answerFirst?.({ status: 500, json: { message: 'oops' } })
  await slow
  // The second one has found no comment yet. A third one would find none either, and add another.
  expect(await failureOf(write(id))).toMatchObject({ code: 'git_comment_busy' })
  answerSecond?.(undefined)
  await next
  expect(await harness.peer.comments(repo, number)).toHaveLength(1)
  expect(await row(id)).toMatchObject({ busyUntil: null, commentId: expect.any(String) })
})

test('a writer whose lease ran out notes no comment', async () => {
  const { id } = await pulled()
  const pulls = async <T>(work: (repository: ReturnType<typeof gitPullRequests>) => Promise<T>) =>
    harness.deps.store.tenant(organizationId, async (tenant) => work(gitPullRequests(tenant)))
  const old = (await pulls(async (all) => all.takeTurn(id, 60))) ?? ''
  await runOut(id)
  const now = (await pulls(async (all) => all.takeTurn(id, 60))) ?? ''
  expect(now).not.toBe('')
  await pulls(async (all) => all.setComment(id, now, 'newer'))
  await pulls(async (all) => all.setComment(id, old, 'older'))
  await pulls(async (all) => all.endTurn(id, old))
  expect(await row(id)).toMatchObject({ commentId: 'newer', busyUntil: expect.any(Date) })
  expect(await pulls(async (all) => all.takeTurn(id, 60))).toBeUndefined()
})

test('what a writer asks of a slow host ends before its lease does', async () => {
  const { repo, number, id } = await pulled()
  const [first] = heldSearches()
  const real = AbortSignal.timeout.bind(AbortSignal)
  const limits: Array<{ ms: number; end: AbortController }> = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const end = new AbortController()
    limits.push({ ms, end })
    return AbortSignal.any([real(ms), end.signal])
  })
  const failure = failureOf(write(id))
  await first
  const { busyUntil } = await row(id)
  // The first limit is that of the writer, and it began before the lease.
  const [limit] = limits
  expect(limit?.ms).toBe(55_000)
  expect(busyUntil.getTime() - Date.now()).toBeGreaterThan(55_000)
  limit?.end.abort()
  expect((await failure).fault).toBe('unavailable')
  expect(await row(id)).toMatchObject({ busyUntil: null })
  expect(await harness.peer.comments(repo, number)).toEqual([])
})
