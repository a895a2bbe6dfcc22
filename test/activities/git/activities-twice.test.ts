import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import { checkConnections } from '../../../activities/git/check-connections.ts'
import { endDelivery } from '../../../activities/git/end-delivery.ts'
import { failHydration } from '../../../activities/git/end-hydration.ts'
import { endInitialization } from '../../../activities/git/end-initialization.ts'
import { ensureWebhook } from '../../../activities/git/ensure-webhook.ts'
import { hydrateFiles } from '../../../activities/git/hydrate-files.ts'
import { lookIntoDelivery } from '../../../activities/git/look-into-delivery.ts'
import { markRepository } from '../../../activities/git/mark-repository.ts'
import { scaffoldRepository } from '../../../activities/git/scaffold-repository.ts'
import { writeComment } from '../../../activities/git/write-comment.ts'
import { connectDirectly } from '../../harness/git/connect-directly.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Temporal delivers at least once. Without a worker, each activity is called here as Temporal
// would call it, and once more with the same input: the second call changes neither the store nor
// the repository. Where an activity writes to the host first and to the store afterwards, the
// store is set back between the calls, as if the worker had died between the two writes.
let harness: GitHarness
let organizationId: number
let user: TestUser
let counter = 0
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  const org = await harness.organization()
  organizationId = org.id
  user = await org.user('Owner')
})
afterAll(async () => harness.close())

const deps = (): Deps => gitActivityDeps(harness)

/** Runs an activity as one delivery by Temporal. */
const deliver = async <I, R>(
  activity: (deps: Deps) => (input: I) => Promise<R>,
  input: I,
): Promise<R> => new MockActivityEnvironment({ attempt: 1 }).run(activity(deps()), input)

const tables = [
  'git_connections',
  'git_deliveries',
  'git_hydrations',
  'git_pull_requests',
  'configuration_versions',
  'workspaces',
  'workspace_runs',
  'stages',
  'outbox',
  'audit_entries',
]

/**
 * Everything that a Git activity could write: rows, branches, webhooks, pull requests and comments.
 */
async function everything(repo: string): Promise<Record<string, unknown>> {
  const {
    peer,
    deps: { store },
  } = harness
  const rows = await Promise.all(
    tables.map(async (table) => [
      table,
      await store.platform(table).orderByRaw(`to_jsonb(${table})::text`),
    ]),
  )
  const pulls = await store.platform('git_pull_requests').where({ repo })
  return {
    ...Object.fromEntries(rows),
    tree: await peer.tree(repo),
    messages: await peer.messages(repo),
    hooks: await peer.hooks(repo),
    pullRequests: await peer.pullRequests(repo),
    comments: await Promise.all(pulls.map(async ({ number }) => peer.comments(repo, number))),
  }
}

const twiceIsOnce = async (repo: string, again: () => Promise<unknown>, first?: unknown) => {
  const before = await everything(repo)
  expect(await again()).toEqual(first)
  expect(await everything(repo)).toEqual(before)
}

const set = async (table: string, where: object, change: object) =>
  harness.deps.store.platform(table).where(where).update(change)
const row = async (table: string, where: object) =>
  harness.deps.store.platform(table).where(where).orderBy('id', 'desc').first()
const audited = async (event: string): Promise<number> =>
  (await harness.deps.store.platform('audit_entries').where({ event })).length

/** A connected repository that is not prepared yet. */
const unprepared = async () => {
  counter += 1
  const repo = `acme/twice-${counter}`
  await harness.peer.createRepository(repo, { 'other.txt': 'theirs\n' })
  const at = { peer: harness.peer, repo }
  const connectionId = await connectDirectly(harness.deps, organizationId, at)
  return { repo, input: { organizationId, connectionId } }
}

/** A configuration version of a workspace that is to be written to a prepared repository. */
const unwritten = async () => {
  const { repo, input } = await unprepared()
  for (const step of [markRepository, scaffoldRepository, endInitialization])
    await deliver<typeof input, unknown>(step, input)
  const name = `twice-${counter}`
  const gitConnectionId = input.connectionId
  const { workspace } = (await user.post('/api/workspaces', { name, gitConnectionId })).json()
  const files = { 'main.tf': '# one\n' }
  const answer = await user.put(`/api/workspaces/${workspace.id}/configuration`, { files })
  expect(answer.statusCode, answer.body).toBe(201)
  const { id } = await row('git_hydrations', { workspaceId: workspace.id })
  return { repo, name, input: { organizationId, hydrationId: Number(id) } }
}

/** A workspace whose files are read from a repository. */
const readFrom = async () => {
  counter += 1
  const [repo, name] = [`acme/twice-${counter}`, `twice-${counter}`]
  await harness.peer.createRepository(repo, { 'live/main.tf': '# one\n' })
  const body = harness.body(repo, { repoType: 'application' })
  const made = await user.post('/api/git/connections', body)
  expect(made.statusCode, made.body).toBe(201)
  const connectionId = Number(made.json().connection.id)
  const workspace = await user.post('/api/workspaces', {
    name,
    gitConnectionId: connectionId,
    source: { kind: 'git' },
    path: 'live',
  })
  expect(workspace.statusCode, workspace.body).toBe(201)
  return { repo, connectionId, workspaceId: Number(workspace.json().workspace.id) }
}

const delivered = async (
  { repo, connectionId }: Awaited<ReturnType<typeof readFrom>>,
  event: { push: string } | { pullRequest: number },
) => {
  expect((await harness.peer.deliver(repo, event)).status).toBe(200)
  const { id } = await row('git_deliveries', { connectionId })
  return { organizationId, deliveryId: Number(id) }
}

/** A pull request that changes the folder of a workspace. */
const pulled = async (at: Awaited<ReturnType<typeof readFrom>>) => {
  const { repo } = at
  await harness.peer.branch(repo, 'main', 'feature')
  await harness.peer.edit(repo, { branch: 'feature', write: { 'live/main.tf': '# two\n' } })
  return delivered(at, { pullRequest: await harness.peer.openPull(repo, { from: 'feature' }) })
}

describe('the preparation of a repository, delivered twice', () => {
  test('markRepository and scaffoldRepository: one commit each, one outcome', async () => {
    const { repo, input } = await unprepared()
    const before = (await harness.peer.messages(repo)).length
    expect(await deliver(markRepository, input)).toBe('marked')
    await twiceIsOnce(repo, () => deliver(markRepository, input), 'marked')
    expect(await deliver(scaffoldRepository, input)).toBe('done')
    await twiceIsOnce(repo, () => deliver(scaffoldRepository, input), 'done')
    expect(await harness.peer.messages(repo)).toHaveLength(before + 2)
    await deliver(endInitialization, input)
    await twiceIsOnce(repo, () => deliver(endInitialization, input))
    expect(await row('git_connections', { id: input.connectionId })).toMatchObject({
      status: 'healthy',
      failedChecks: 0,
    })
  })

  test('markRepository of a protected branch: one branch and one pull request', async () => {
    const { repo, input } = await unprepared()
    await harness.peer.protect(repo, 'main')
    expect(await deliver(markRepository, input)).toBe('proposed')
    expect(await harness.peer.pullRequests(repo)).toHaveLength(1)
    const branch = `cloud-control/connect-${input.connectionId}`
    const commits = await harness.peer.messages(repo, branch)
    expect(await deliver(markRepository, input)).toBe('proposed')
    expect(await harness.peer.pullRequests(repo)).toHaveLength(1)
    expect(await harness.peer.messages(repo, branch)).toEqual(commits)
  })

  test('endInitialization of a failure: counted once', async () => {
    const { repo, input } = await unprepared()
    const failed = { ...input, code: 'git_forbidden' }
    await deliver(endInitialization, failed)
    await twiceIsOnce(repo, () => deliver(endInitialization, failed))
    expect(await row('git_connections', { id: input.connectionId })).toMatchObject({
      status: 'error',
      failedChecks: 1,
    })
  })
})

describe('writes to a host, delivered twice', () => {
  test('hydrateFiles: one commit, also if its worker died before it was recorded', async () => {
    const { repo, input } = await unwritten()
    const before = (await harness.peer.messages(repo)).length
    await deliver(hydrateFiles, input)
    expect(await harness.peer.messages(repo)).toHaveLength(before + 1)
    const written = await row('git_hydrations', { id: input.hydrationId })
    expect(written).toMatchObject({ state: 'written' })
    await twiceIsOnce(repo, () => deliver(hydrateFiles, input))

    await set('git_hydrations', { id: input.hydrationId }, { state: 'queued', commitSha: null })
    await deliver(hydrateFiles, input)
    expect(await harness.peer.messages(repo)).toHaveLength(before + 1)
    const { state, commitSha } = await row('git_hydrations', { id: input.hydrationId })
    expect({ state, commitSha }).toEqual({ state: 'written', commitSha: written.commitSha })
  })

  test('failHydration: ended once, with one audit entry', async () => {
    const { repo, input } = await unwritten()
    const failed = { ...input, reason: 'git_forbidden' }
    const before = await audited('git.repo_write_failed')
    await deliver(failHydration, failed)
    expect(await audited('git.repo_write_failed')).toBe(before + 1)
    await twiceIsOnce(repo, () => deliver(failHydration, failed))
    await twiceIsOnce(repo, () => deliver(hydrateFiles, input))
  })

  test('ensureWebhook: one webhook, also if its worker died before it was recorded', async () => {
    const { repo, connectionId } = await readFrom()
    const pending = { webhookState: 'pending', webhookUrl: null, webhookSigned: false }
    for (let deaths = 0; deaths < 2; deaths += 1) {
      await set('git_connections', { id: connectionId }, pending)
      await deliver(ensureWebhook, { organizationId, connectionId })
      expect(await harness.peer.hooks(repo)).toHaveLength(1)
    }
    expect(await row('git_connections', { id: connectionId })).toMatchObject({
      webhookState: 'active',
    })
    await twiceIsOnce(repo, () => deliver(ensureWebhook, { organizationId, connectionId }))
  })

  test('writeComment: one comment, also if its worker died before its id was recorded', async () => {
    const at = await readFrom()
    await deliver(lookIntoDelivery, await pulled(at))
    const { id } = await row('git_pull_requests', { connectionId: at.connectionId })
    const input = { organizationId, pullRequestId: Number(id) }
    await deliver(writeComment, input)
    await twiceIsOnce(at.repo, () => deliver(writeComment, input))
    const { number, commentId } = await row('git_pull_requests', { id })
    await set('git_pull_requests', { id }, { commentId: null })
    await deliver(writeComment, input)
    expect(await harness.peer.comments(at.repo, number)).toHaveLength(1)
    expect(await row('git_pull_requests', { id })).toMatchObject({ commentId })
  })
})

describe('webhook deliveries and health checks, delivered twice', () => {
  const runsOf = async (workspaceId: number) =>
    harness.deps.store.platform('workspace_runs').where({ workspaceId })

  test('lookIntoDelivery and endDelivery of a push: one version, one run, the first outcome', async () => {
    const at = await readFrom()
    await harness.peer.edit(at.repo, { write: { 'live/main.tf': '# two\n' } })
    const input = await delivered(at, { push: 'main' })
    await deliver(lookIntoDelivery, input)
    expect(await runsOf(at.workspaceId)).toHaveLength(1)
    await twiceIsOnce(at.repo, () => deliver(lookIntoDelivery, input))
    await deliver(endDelivery, input)
    await twiceIsOnce(at.repo, () => deliver(endDelivery, input))
    await twiceIsOnce(at.repo, () => deliver(endDelivery, { ...input, code: 'timed_out' }))
    expect(await row('git_deliveries', { id: input.deliveryId })).toMatchObject({
      outcome: 'handled',
    })
    await twiceIsOnce(at.repo, () => deliver(lookIntoDelivery, input))
  })

  test('lookIntoDelivery of a pull request: one version, one plan, one comment to be written', async () => {
    const at = await readFrom()
    const input = await pulled(at)
    await deliver(lookIntoDelivery, input)
    expect(await runsOf(at.workspaceId)).toHaveLength(1)
    await twiceIsOnce(at.repo, () => deliver(lookIntoDelivery, input))
  })

  test('checkConnections: asked once, and a fault of two passes at once is counted once', async () => {
    const { repo, connectionId } = await readFrom()
    const pass = async () => new MockActivityEnvironment().run(checkConnections(deps()))
    await set('git_connections', {}, { checkedAt: new Date() })
    const due = { checkedAt: new Date(Date.now() - 11 * 60_000), failedChecks: 0 }
    await set('git_connections', { id: connectionId }, due)
    expect(await pass()).toEqual({ checked: 1 })
    await twiceIsOnce(repo, pass, { checked: 0 })

    await harness.peer.archive(repo)
    await set('git_connections', { id: connectionId }, due)
    await Promise.all([pass(), pass()])
    expect(await row('git_connections', { id: connectionId })).toMatchObject({
      status: 'error',
      failedChecks: 1,
    })
    await twiceIsOnce(repo, pass, { checked: 0 })
  })
})
