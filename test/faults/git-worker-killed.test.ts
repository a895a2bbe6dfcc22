import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scaffoldFiles } from '../../domain/git/scaffold.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { CallGates, type Gate, type GateAt } from '../harness/git/call-gates.ts'
import { connectDirectly } from '../harness/git/connect-directly.ts'
import { eventually, peerMakers } from '../harness/git/git-harness.ts'
import type { GitPeer } from '../harness/git/git-peer.ts'
import { sharedOwners, type Owner } from '../harness/git/shared-owners.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import { textOfHistories } from '../harness/written-by.ts'
import { hold } from './run-rows.ts'

// Each job blocks at its own call, before or after the provider handles it. When all jobs block,
// one `kill -9` of the worker hits them all. By default these are the calls that write. KILL_AT=all
// takes every call of both workflows, and an empty repository too.
const everyCall = process.env['KILL_AT'] === 'all'
/** The worker runs 50 activities at once, and each blocked job uses one. */
const perKill = 40
const marker = '.cloud-control/owner.json'
const first = { 'main.tf': '# one\n', 'b/c.tf': '# c\n', 'gone.tf': '# gone\n' }
const second = { 'main.tf': '# two\n', 'b/c.tf': '# c\n' }

type Workflow = 'prepare' | 'hydrate'
type Death = { peer: GitPeer; workflow: Workflow; empty: boolean; at: GateAt }
type Job = Owner & {
  death: Death
  repo: string
  gate: Gate
  commits: number
  connection: number
  workspace?: { name: string; url: string }
}

let harness: Harness
let processes: Processes
let nextOwner: () => Owner
let peers: GitPeer[]
let gates: CallGates
let counter = 0
const nowhere: GateAt = { call: '', nth: 0, when: 'before' }
beforeAll(async () => {
  peers = await Promise.all(Object.values(peerMakers).map(async (make) => make()))
  const privateHosts = peers.map(({ server }) => `git=127.0.0.1:${server.port}`).join(',')
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: privateHosts } })
  processes = await processesOf(harness, { CC_PRIVATE_HOSTS: privateHosts })
  nextOwner = await sharedOwners(harness)
  gates = new CallGates(peers)
})
afterAll(async () => {
  await processes.close()
  harness.secrets.wrote('the histories', await histories())
  // Searches all rows, logs and histories for each token, and fails the file if one is found.
  await harness.close()
  for (const peer of peers) await peer.close()
})

/** A repository that is about to be connected, and its gate. */
async function prepare(death: Death, arm = (repo: string) => gates.set(repo)): Promise<Job> {
  const { peer, empty } = death
  counter += 1
  const repo = `acme/killed-${counter}`
  await peer.createRepository(repo, empty ? undefined : { 'other.txt': 'theirs\n' })
  const commits = empty ? 0 : (await peer.messages(repo)).length
  const token = peer.token()
  harness.secrets.note('a token of a Git host', token)
  let gate: Gate = { calls: [], reached: Promise.resolve('') }
  const beforeStart = () => void (gate = arm(repo))
  const at = { peer, repo, token, beforeStart }
  const owner = nextOwner()
  const connection = await connectDirectly(harness.deps, owner.organization.id, at)
  return { ...owner, death, repo, gate, commits, connection }
}

const put = async ({ user, workspace }: Job, files: Record<string, string>) => {
  const answer = await user.put(`${workspace?.url}/configuration`, { files })
  expect(answer.statusCode, answer.body).toBe(201)
}
/** One query for all jobs: 40 separate polls would slow down a small machine. */
const until = async (jobs: readonly Job[], isDone: () => Promise<Map<number, string>>) =>
  eventually(
    async () => {
      const states = await isDone()
      for (const { connection, repo } of jobs)
        expect(states.get(connection) ?? 'none', repo).not.toMatch(/error|token|failed|diverged/)
      return jobs.every(({ connection }) => states.get(connection) === 'done')
    },
    { looks: 4_000 },
  )
const written = async (jobs: readonly Job[], count: number) =>
  until(jobs, async () =>
    states(`select connection_id as id, case when count(*) filter (where state = 'written') = ${count}
        then 'done' else string_agg(state || coalesce(reason, ''), ' ') end as state
      from git_hydrations group by connection_id`),
  )
const healthy = async (jobs: readonly Job[]) =>
  until(jobs, async () =>
    states(`select id, case status when 'healthy' then 'done' else status end as state
      from git_connections`),
  )
async function states(sql: string): Promise<Map<number, string>> {
  const { rows } = await harness.deps.store.platform.raw(sql)
  return new Map(rows.map(({ id, state }: { id: number; state: string }) => [id, state]))
}

/** Creates a workspace for each job, with its first version. */
async function configure(jobs: readonly Job[]): Promise<void> {
  await healthy(jobs)
  for (const job of jobs) {
    const name = job.repo.replace('acme/', 'ws-')
    const made = await job.user.post('/api/workspaces', { name, gitConnectionId: job.connection })
    job.workspace = { name, url: `/api/workspaces/${made.json().workspace.id}` }
    await put(job, first)
  }
  await written(jobs, 1)
}

/** The calls of both workflows without a kill. */
async function callsOf(peer: GitPeer, empty: boolean): Promise<Record<Workflow, string[]>> {
  const job = await prepare({ peer, empty, workflow: 'prepare', at: nowhere })
  await healthy([job])
  const preparing = job.gate.calls.slice()
  await configure([job])
  const { calls } = gates.set(job.repo)
  await put(job, second)
  await written([job], 2)
  await expectAllDone([job])
  return { prepare: preparing, hydrate: calls.slice() }
}

const writes = (call: string) => !/^(GET|HEAD) |git-upload-pack$/.test(call)

async function deathsAt(peer: GitPeer): Promise<Death[]> {
  const deaths: Death[] = []
  for (const empty of everyCall ? [false, true] : [false]) {
    const calls = await callsOf(peer, empty)
    expect(calls.prepare.filter(writes).length, calls.prepare.join('\n')).toBeGreaterThanOrEqual(2)
    expect(calls.hydrate.filter(writes).length, calls.hydrate.join('\n')).toBeGreaterThanOrEqual(1)
    for (const workflow of ['prepare', 'hydrate'] as const)
      calls[workflow].forEach((call, index) => {
        if (everyCall ? empty && workflow === 'hydrate' : !writes(call)) return
        const nth = calls[workflow].slice(0, index + 1).filter((one) => one === call).length
        for (const when of ['before', 'after'] as const)
          deaths.push({ peer, workflow, empty, at: { call, nth, when } })
      })
  }
  return deaths
}

/** Brings each job to its gate and logs the blocked call. */
async function standAtGates(deaths: readonly Death[]): Promise<Job[]> {
  const of = (workflow: Workflow) => deaths.filter((death) => death.workflow === workflow)
  const hydrating: Job[] = []
  for (const death of of('hydrate')) hydrating.push(await prepare(death))
  await configure(hydrating)
  for (const job of hydrating) {
    job.gate = gates.set(job.repo, job.death.at)
    await put(job, second)
  }
  const jobs = [...hydrating]
  for (const death of of('prepare'))
    jobs.push(await prepare(death, (repo) => gates.set(repo, death.at)))
  const calls = await Promise.all(jobs.map(async (job) => `${label(job)}: ${await reached(job)}`))
  console.log(calls.join('\n'))
  return jobs
}

const label = ({ death: { peer, workflow, empty } }: Job) =>
  `${peer.product}, ${workflow}${empty ? ' an empty one' : ''}`

async function reached({ repo, gate }: Job): Promise<string> {
  const late = new Promise<never>((_, reject) => {
    const tell = () =>
      reject(new Error(`${repo} never came to its gate:\n${gate.calls.join('\n')}`))
    setTimeout(tell, 120_000).unref()
  })
  return Promise.race([gate.reached, late])
}

/** Expects the right tree, each commit once and each audit entry once. */
async function expectAllDone(jobs: readonly Job[]): Promise<void> {
  for (const { death, repo, commits, connection, workspace } of jobs) {
    const { [marker]: owned = '{}', ...tree } = await death.peer.tree(repo)
    expect(JSON.parse(owned), repo).toMatchObject({ connection, branch: 'main' })
    expect(tree, repo).toEqual({
      ...scaffoldFiles,
      ...(!death.empty && { 'other.txt': 'theirs\n' }),
      [`workspaces/${workspace?.name}/main.tf`]: '# two\n',
      [`workspaces/${workspace?.name}/b/c.tf`]: '# c\n',
    })
    const messages = await death.peer.messages(repo)
    expect(
      messages.slice(0, messages.length - commits).map((text) => text.split('\n')[0]),
      repo,
    ).toEqual([
      `${workspace?.name}: configuration version 2`,
      `${workspace?.name}: configuration version 1`,
      'cloud-control: scaffold',
      'cloud-control: own this branch',
    ])
    expect(await eventsOf(workspace?.name ?? ''), repo).toEqual([
      'git.repo_pruned',
      'git.repo_written',
      'git.repo_written',
    ])
  }
}

async function eventsOf(label: string): Promise<string[]> {
  const rows = await harness.deps.store
    .platform('audit_entries')
    .where({ targetLabel: label })
    .whereLike('event', 'git.%')
    .select('event')
  return rows.map(({ event }) => String(event)).toSorted()
}

/**
 * Two more kills, between steps without a call to the provider: the write is recorded but the lease
 * is not released; all is prepared but that is not recorded.
 */
async function standAtRows(): Promise<{ jobs: Job[]; release: () => Promise<void> }> {
  const [peer] = peers
  if (!peer) throw new Error('no peer')
  const at = nowhere
  const held: Array<Awaited<ReturnType<typeof hold>>> = []
  /** Locks a row once the provider has handled `count` writes. */
  const holding = (count: number, sql: string) => (repo: string) => {
    let left = count
    return gates.set(repo, undefined, async (call) => {
      if (!writes(call)) return
      left -= 1
      if (left === 0) held.push(await hold(harness, `${sql} = '${repo}' for update`))
    })
  }
  // On GitHub a commit takes three writes: a tree, a commit and the branch.
  const recorded = await prepare({ peer, workflow: 'hydrate', empty: false, at })
  await configure([recorded])
  holding(
    3,
    'select 1 from git_claims l join git_connections c on c.id = l.connection_id where c.default_repo',
  )(recorded.repo)
  await put(recorded, second)
  const ending = await prepare(
    { peer, workflow: 'prepare', empty: false, at },
    holding(6, 'select 1 from git_connections where default_repo'),
  )
  await written([recorded], 2)
  await eventually(async () => {
    const { rows } = await harness.deps.store.platform.raw(
      'select count(*)::int as waiting from pg_locks where not granted',
    )
    return held.length === 2 && rows[0].waiting >= 2
  })
  return {
    jobs: [recorded, ending],
    release: async () => void (await Promise.all(held.map(async (one) => one.release()))),
  }
}

test('kill -9 of the worker at each call: the tree is right and each commit is there once', async () => {
  let worker = await processes.startWorker()
  const deaths: Death[] = []
  for (const found of await Promise.all(peers.map(deathsAt))) deaths.push(...found)
  for (let from = 0; from < deaths.length; from += perKill) {
    const jobs = await standAtGates(deaths.slice(from, from + perKill))
    const rows = from === 0 ? await standAtRows() : undefined
    await worker.kill()
    gates.open()
    await rows?.release()
    worker = await processes.startWorker()
    jobs.push(...(rows?.jobs ?? []))
    await configure(jobs.filter(({ workspace }) => !workspace))
    for (const job of jobs) if (job.death.workflow === 'prepare') await put(job, second)
    await written(jobs, 2)
    await expectAllDone(jobs)
  }
}, 3_600_000)

/** All workflow histories that Temporal stores. */
async function histories(): Promise<string> {
  const { config } = harness
  const connection = await Connection.connect(connectionOptions(config))
  const client = new Client({ connection, namespace: config.temporal.namespace })
  const text = await textOfHistories(client)
  expect(text).toContain('hydrateWorkspace')
  await connection.close()
  return text
}
