import { execFileSync } from 'node:child_process'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { takePullRequest } from '../../../activities/git/take-pull-request.ts'
import { writeComment } from '../../../activities/git/write-comment.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Without a worker, what a delivery does is called here, and the comment is written by its activity.
let harness: GitHarness
let org: TestOrganization
let owner: TestUser
let counter = 0
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  org = await harness.organization()
  owner = await org.user('Owner')
})
afterEach(() => void (harness.peer.server.fault = () => undefined))
afterAll(async () => harness?.close())

const main = (word: string) => `resource "terraform_data" "one" { input = "${word}" }\n`
const platform = (table: string) => harness.deps.store.platform(table)

/** A repository with a workspace in each of two folders, and a pull request that changes both. */
const proposed = async (
  write: Record<string, string> = { 'one/main.tf': main('b'), 'two/main.tf': main('b') },
) => {
  counter += 1
  const repo = `acme/pull-${counter}`
  await harness.peer.createRepository(repo, { 'one/main.tf': main('a'), 'two/main.tf': main('a') })
  const body = harness.body(repo, { repoType: 'application' })
  const made = await owner.post('/api/git/connections', body)
  expect(made.statusCode, made.body).toBe(201)
  const gitConnectionId = Number(made.json().connection.id)
  const ids: number[] = []
  for (const path of ['one', 'two']) {
    const name = `pull-${counter}-${path}`
    const fields = { name, gitConnectionId, source: { kind: 'git' }, path }
    const workspace = await owner.post('/api/workspaces', fields)
    expect(workspace.statusCode, workspace.body).toBe(201)
    ids.push(Number(workspace.json().workspace.id))
  }
  await harness.peer.branch(repo, 'main', 'feature')
  await harness.peer.edit(repo, { branch: 'feature', write })
  const number = await harness.peer.openPull(repo, { from: 'feature' })
  const [one = 0, two = 0] = ids
  return { repo, connectionId: gitConnectionId, number, one, two }
}
type Proposed = Awaited<ReturnType<typeof proposed>>

const take = async ({ connectionId, number }: Proposed) => {
  const connection = await harness.deps.store.tenant(org.id, async (tenant) =>
    gitConnections(tenant).get(connectionId),
  )
  await takePullRequest(gitActivityDeps(harness), { organizationId: org.id, connection, number })
}
const rowOf = async ({ connectionId }: Proposed) =>
  (await platform('git_pull_requests').where({ connectionId }))[0]
const plannedIn = async (workspaceId: number) =>
  (await platform('workspace_runs').where({ workspaceId, kind: 'plan' })).length
const commentOf = async (at: Proposed) => {
  const input = { organizationId: org.id, pullRequestId: Number((await rowOf(at)).id) }
  await new MockActivityEnvironment().run(writeComment(gitActivityDeps(harness)), input)
  const [text, ...others] = await harness.peer.comments(at.repo, at.number)
  expect(others).toEqual([])
  return text ?? ''
}
const queued = async (at: Proposed) => {
  const { id } = await rowOf(at)
  return (await platform('outbox').whereLike('workflowId', `%/git-comment/${id}/%`)).length
}
const git = ({ repo }: Proposed, ...words: string[]) =>
  execFileSync('git', ['-C', harness.peer.path?.(repo) ?? '', ...words], {
    encoding: 'utf8',
  }).trim()
const headOf = (at: Proposed) => git(at, 'rev-parse', 'refs/heads/feature')
const push = async (at: Proposed, write: Record<string, string>) => {
  await harness.peer.edit(at.repo, { branch: 'feature', write })
  await take(at)
  return headOf(at)
}
const pushBack = async (at: Proposed, commit: string) => {
  git(at, 'update-ref', 'refs/heads/feature', commit)
  await take(at)
}

test('a refused read of one workspace’s folder is its fault, and the others are planned', async () => {
  const at = await proposed()
  harness.peer.server.fault = ({ url }) =>
    url.searchParams.get('path') === 'one'
      ? { status: 422, json: { message: 'the folder is odd' } }
      : undefined
  await take(at)
  expect([await plannedIn(at.one), await plannedIn(at.two)]).toEqual([0, 1])
  const { faults } = await rowOf(at)
  expect(Object.keys(faults)).toEqual([String(at.one)])
  expect(await commentOf(at)).toMatch(/-one \| \| not planned: .*the folder is odd/)
})

test('a pull request of more lines than GitLab compares is planned in every workspace of its branch', async () => {
  const write = { aa: 'x\n', ab: 'x\n'.repeat(50_001), 'two/main.tf': main('b') }
  const at = await proposed(write)
  await take(at)
  expect([await plannedIn(at.one), await plannedIn(at.two)]).toEqual([1, 1])
})

test('a workspace that is deleted meanwhile is passed over, and the others are planned', async () => {
  const at = await proposed()
  let deleted = 0
  harness.peer.server.fault = async ({ url }) => {
    if (url.searchParams.get('path') !== 'one' || deleted > 0) return undefined
    deleted = (await owner.delete(`/api/workspaces/${at.one}`)).statusCode
    return undefined
  }
  await take(at)
  expect([deleted, await plannedIn(at.two)]).toEqual([200, 1])
  expect((await rowOf(at)).faults).toEqual({})
})

test('a host that is down is no workspace’s fault', async () => {
  const at = await proposed()
  harness.peer.server.fault = ({ url }) =>
    url.searchParams.get('path') === 'one' ? { status: 502, text: '' } : undefined
  await expect(take(at)).rejects.toMatchObject({ fault: 'unavailable' })
})

test('a branch that is set back to an older commit: the comment shows that commit’s plans again', async () => {
  const at = await proposed()
  await take(at)
  const first = headOf(at)
  const second = await push(at, { 'one/main.tf': main('c') })
  const both = await commentOf(at)
  expect(both.match(new RegExp(second.slice(0, 12), 'g'))).toHaveLength(2)
  const before = await queued(at)
  await pushBack(at, first)
  // Without a new plan nothing else would write it.
  expect(await queued(at)).toBe(before + 1)
  const back = await commentOf(at)
  expect(back.match(new RegExp(first.slice(0, 12), 'g'))).toHaveLength(2)
  expect(back).not.toContain(second.slice(0, 12))
  expect([await plannedIn(at.one), await plannedIn(at.two)]).toEqual([2, 2])
  await take(at)
  expect(await queued(at)).toBe(before + 1)
})

test('the fault of a commit that is not the head any more is not shown', async () => {
  const at = await proposed()
  await take(at)
  const first = headOf(at)
  await push(at, { 'one/.terraform/x': '#\n' })
  expect(await commentOf(at)).toMatch(/-one \| \| not planned: /)
  await pushBack(at, first)
  const back = await commentOf(at)
  expect(back).not.toContain('not planned')
  expect(back.match(new RegExp(first.slice(0, 12), 'g'))).toHaveLength(2)
})

test('a head that touches no workspace any more leaves no plan of an older one in the comment', async () => {
  const at = await proposed()
  await take(at)
  expect(await commentOf(at)).toContain('-one |')
  const before = await queued(at)
  await push(at, { 'one/main.tf': main('a'), 'two/main.tf': main('a') })
  expect(await queued(at)).toBe(before + 1)
  expect(await commentOf(at)).not.toContain('-one |')
})

test('only the workspaces whose folder is changed are planned, and the host is asked once for its default branch', async () => {
  const at = await proposed({ 'two/main.tf': main('b'), 'one-more/main.tf': main('b') })
  // They name the repository and no branch.
  for (const id of [at.one, at.two])
    await platform('workspaces')
      .where({ id })
      .update({ source: { repo: at.repo } })
  const { calls } = harness.peer.server
  const before = calls.length
  await take(at)
  expect([await plannedIn(at.one), await plannedIn(at.two)]).toEqual([0, 1])
  const asked = calls.slice(before).filter((call) => /^GET \/api\/v4\/projects\/[^/]+$/.test(call))
  expect(asked).toHaveLength(1)
})
