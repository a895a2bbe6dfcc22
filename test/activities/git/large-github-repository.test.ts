import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { pushReader } from '../../../activities/git/read-pushes.ts'
import { takePullRequest } from '../../../activities/git/take-pull-request.ts'
import { openHost } from '../../../app/git/open-host.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { PeerAnswer } from '../../harness/git/peer-server.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// GitHub cuts the recursive tree of a repository with very many files. The trees of its folders are whole.
let harness: GitHarness
let org: TestOrganization
let owner: TestUser
let counter = 0
beforeAll(async () => {
  harness = await gitHarness(peerMakers.githubPeer, { worker: false })
  org = await harness.organization()
  owner = await org.user('Owner')
})
afterEach(() => void (harness.peer.server.fault = () => undefined))
afterAll(async () => harness?.close())

const main = (word: string) => `resource "terraform_data" "one" { input = "${word}" }\n`

const large = async () => {
  counter += 1
  const repo = `acme/large-${counter}`
  await harness.peer.createRepository(repo, { 'one/main.tf': main('a'), 'two/main.tf': main('a') })
  const body = harness.body(repo, { repoType: 'application' })
  const made = await owner.post('/api/git/connections', body)
  expect(made.statusCode, made.body).toBe(201)
  const id = Number(made.json().connection.id)
  const workspaces: number[] = []
  for (const path of ['one', 'two']) {
    const fields = { gitConnectionId: id, source: { kind: 'git' }, path }
    const created = await owner.post('/api/workspaces', {
      name: `large-${counter}-${path}`,
      ...fields,
    })
    expect(created.statusCode, created.body).toBe(201)
    workspaces.push(Number(created.json().workspace.id))
  }
  await harness.peer.branch(repo, 'main', 'feature')
  await harness.peer.edit(repo, { branch: 'feature', write: { 'two/main.tf': main('b') } })
  const number = await harness.peer.openPull(repo, { from: 'feature' })
  const connection = await harness.deps.store.tenant(org.id, async (tenant) =>
    gitConnections(tenant).get(id),
  )
  const host = openHost(gitActivityDeps(harness), org.id, connection)
  const [before, after] = await Promise.all(
    ['main', 'feature'].map(async (branch) => (await host.head(repo, branch)) ?? ''),
  )
  const range = { base: before ?? '', head: after ?? '' }
  return { repo, number, connection, host, range, workspaces }
}
type Large = Awaited<ReturnType<typeof large>>

/** Cuts the trees of these commits, and answers their comparison by `compared`, if given. */
const cut = async ({ repo, range }: Large, compared?: PeerAnswer) => {
  const roots = await Promise.all(
    Object.values(range).map(async (commit) => {
      const address = `${harness.peer.server.url}/api/v3/repos/${repo}/git/commits/${commit}`
      const headers = { authorization: `Bearer ${harness.peer.token()}` }
      const told = (await (await fetch(address, { headers })).json()) as { tree: { sha: string } }
      return told.tree.sha
    }),
  )
  harness.peer.server.fault = ({ path, url }) => {
    if (path.includes('/compare/')) return compared
    const isRoot = roots.some((sha) => path.endsWith(`/git/trees/${sha}`))
    return isRoot && url.searchParams.has('recursive')
      ? { status: 200, json: { sha: roots[0], tree: [], truncated: true } }
      : undefined
  }
}
const compared = (range: Large['range'], files: unknown): PeerAnswer => ({
  status: 200,
  json: { merge_base_commit: { sha: range.base }, commits: [], files },
})
const planned = async ({ connection, number, workspaces }: Large) => {
  await takePullRequest(gitActivityDeps(harness), { organizationId: org.id, connection, number })
  return Promise.all(
    workspaces.map(
      async (workspaceId) =>
        (await harness.deps.store.platform('workspace_runs').where({ workspaceId })).length,
    ),
  )
}

test('a push there may have changed anything, so that it starts a run', async () => {
  const at = await large()
  expect(await pushReader(at.host).changedPaths(at.repo, at.range)).toEqual(['two/main.tf'])
  await cut(at)
  expect(await pushReader(at.host).changedPaths(at.repo, at.range)).toBeUndefined()
})

test('a pull request is planned in the workspaces that its comparison names', async () => {
  const at = await large()
  await cut(at, compared(at.range, [{ filename: 'two/main.tf', status: 'modified' }]))
  expect(await planned(at)).toEqual([0, 1])
})

test('a file that was moved out of a folder changes it', async () => {
  const at = await large()
  const files = [{ filename: 'x.tf', previous_filename: 'two/x.tf', status: 'renamed' }]
  await cut(at, compared(at.range, files))
  expect(await planned(at)).toEqual([0, 1])
})

test('a comparison that is cut too may have left any of them out: all are planned', async () => {
  const at = await large()
  const files = Array.from({ length: 300 }, (_, index) => ({ filename: `docs/${index}.md` }))
  await cut(at, compared(at.range, files))
  expect(await planned(at)).toEqual([1, 1])
  const other = await large()
  await cut(other, compared(other.range, undefined))
  expect(await planned(other)).toEqual([1, 1])
})
