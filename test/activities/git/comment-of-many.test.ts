import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeComment } from '../../../activities/git/write-comment.ts'
import { gitPullRequests } from '../../../store/git/git-pull-requests.ts'
import { bytesFromPostgres } from '../../harness/bytes-from-postgres.ts'
import { connectDirectly } from '../../harness/git/connect-directly.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

// The comment on a pull request that touches many workspaces, whose policies have much to say.
let harness: GitHarness
let organizationId: number
let counter = 0
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  organizationId = (await harness.organization()).id
})
afterAll(async () => harness?.close())

const commit = 'c'.repeat(40)
const budget = (name: string, breaks: boolean) => ({
  level: 'warn',
  message: 'm'.repeat(200),
  budget: { id: 1, name },
  breaks,
})
const warnings = Array.from({ length: 60 }, (_, n) => ({
  level: 'warn',
  message: `${n}`.padEnd(200, 'm'),
  resource: `aws_instance.web[${n}]`,
}))
const gatesWith = (budgets: ReadonlyArray<ReturnType<typeof budget>>) => [
  { kind: 'policy', result: 'warn', findings: warnings },
  { kind: 'cost', result: 'warn', findings: [...warnings, ...budgets] },
]

/** A pull request with a plan of each of so many workspaces, `<name>-0001` and on. */
async function planned(count: number, gates: readonly object[]) {
  counter += 1
  const { peer, deps } = harness
  const name = `many-${counter}`
  const repo = `acme/${name}`
  await peer.createRepository(repo, { 'live/main.tf': '# one\n' })
  const connectionId = await connectDirectly(deps, organizationId, { peer, repo })
  await peer.branch(repo, 'main', 'feature')
  const number = await peer.openPull(repo, { from: 'feature' })
  const id = await deps.store.tenant(organizationId, async (tenant) => {
    const pulls = gitPullRequests(tenant)
    const pull = await pulls.of(connectionId, repo, number)
    await pulls.setHead(pull.id, commit)
    return pull.id
  })
  await deps.store.platform.raw(
    `with made as (
       insert into workspaces (organization_id, name, git_connection_id, source_kind)
       select :organizationId::integer, :name::text || '-' || lpad(n::text, 4, '0'), :connectionId::integer, 'git'
       from generate_series(1, :count::integer) n returning id),
     versions as (
       insert into configuration_versions (organization_id, workspace_id, number, source, commit_sha, files, files_sha256,
         file_names, size_bytes, pull_request_id)
       select :organizationId::integer, id, 1, 'git', :commit::text, ''::bytea, 'none', '{}', 0, :id::integer
       from made returning id, workspace_id)
     insert into workspace_runs (organization_id, workspace_id, kind, phase, configuration_version_id, origin, gates, summary)
     select :organizationId::integer, workspace_id, 'plan', 'succeeded', id, 'pull_request', :gates::jsonb, :summary::jsonb
     from versions`,
    {
      organizationId,
      name,
      connectionId,
      count,
      commit,
      id,
      gates: JSON.stringify(gates),
      summary: JSON.stringify({ add: 1, change: 2, destroy: 3 }),
    },
  )
  return { id, repo, number, name }
}

const endAs = async (workspace: string, end: { phase: string; reason: string | null }) => {
  const { platform } = harness.deps.store
  const { id } = await platform('workspaces').where({ organizationId, name: workspace }).first('id')
  await platform('workspace_runs').where({ workspaceId: id }).update(end)
}
const runsOf = async (id: number) =>
  harness.deps.store.tenant(organizationId, async (tenant) => gitPullRequests(tenant).runs(id))

test('of 600 runs with 32 KiB of findings each less than 1 KiB of 500 is read, and the comment has what it had', async () => {
  const { id, repo, number, name } = await planned(600, gatesWith([budget('Shop', true)]))
  await endAs(`${name}-0001`, { phase: 'succeeded', reason: 'no_changes' })
  await endAs(`${name}-0600`, { phase: 'failed', reason: 'policy_denied' })
  const { answer, bytes } = await bytesFromPostgres(async () => runsOf(id))
  expect(bytes).toBeLessThan(500_000)
  const names = answer.runs.map(({ workspaceName }) => workspaceName)
  // What the comment leaves out first is not read: that nothing changes, and of the others the last ones by name.
  expect(names).toHaveLength(500)
  expect([names[0], names[498], names[499]]).toEqual(
    ['0002', '0500', '0600'].map((place) => `${name}-${place}`),
  )
  expect(answer.more).toBe(100)
  await new MockActivityEnvironment().run(writeComment(gitActivityDeps(harness)), {
    organizationId,
    pullRequestId: id,
  })
  const [text = '', ...others] = await harness.peer.comments(repo, number)
  expect(others).toEqual([])
  const rows = text.split('\n').filter((line) => line.startsWith(`| ${name}-`))
  expect(rows[0]).toMatch(/-0600 .*\[failed \(policy_denied\)\].* policy: warn, cost: warn \|$/)
  expect(rows[1]).toMatch(/-0002 .*\[planned\].* 1 \| 2 \| 3 \| policy: warn, cost: warn \|$/)
  expect(text).toContain(`… and ${600 - rows.length} more workspaces.`)
  expect(text).toContain(`- ${name}-0002 would break the budget Shop.`)
  expect(text).toContain('Budgets of 100 more workspaces are not shown.')
})

test('of the findings those about budgets that the plan breaks are read, twenty of a gate, in their order', async () => {
  const breaking = Array.from({ length: 30 }, (_, n) => budget(`Budget "${n}"`, true))
  const { id } = await planned(1, gatesWith([budget('Unknown', false), ...breaking]))
  const { runs, more } = await runsOf(id)
  expect(more).toBe(0)
  expect(runs).toMatchObject([
    { commitSha: commit, phase: 'succeeded', summary: { add: 1, change: 2, destroy: 3 } },
  ])
  expect(runs[0]).not.toHaveProperty('total')
  expect(runs[0]?.gates).toEqual([
    { kind: 'policy', result: 'warn', findings: [] },
    {
      kind: 'cost',
      result: 'warn',
      findings: breaking
        .slice(0, 20)
        .map(({ budget: { name } }) => ({ budget: { name }, breaks: true })),
    },
  ])
})

test('a run without gates, and a pull request without runs', async () => {
  const { id } = await planned(1, [])
  expect((await runsOf(id)).runs).toMatchObject([{ gates: [] }])
  expect(await runsOf((await planned(0, [])).id)).toEqual({ runs: [], more: 0 })
})
