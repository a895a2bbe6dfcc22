import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scaffoldFiles } from '../../domain/git/scaffold.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { CallGates, type Gate, type GateAt } from '../harness/git/call-gates.ts'
import { connectDirectly } from '../harness/git/connect-directly.ts'
import { eventually, peerMakers } from '../harness/git/git-harness.ts'
import type { GitPeer } from '../harness/git/git-peer.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { textOfHistories } from '../harness/written-by.ts'
import { hold } from './run-rows.ts'

// Each job is stopped at one call of its own, before the provider does it or after it has done it;
// when all of them stand there, one `kill -9` of the worker meets them all. KILL_AT=all takes every
// call of both workflows, an empty repository too; without it those that write.
const everyCall = process.env['KILL_AT'] === 'all'
/** The worker does 50 activities at once, and each job that stands at its gate is one. */
const perKill = 40
const marker = '.cloud-control/owner.json'
const first = { 'main.tf': '# one\n', 'b/c.tf': '# c\n', 'gone.tf': '# gone\n' }
const second = { 'main.tf': '# two\n', 'b/c.tf': '# c\n' }

type Workflow = 'prepare' | 'hydrate'
type Death = { peer: GitPeer; workflow: Workflow; empty: boolean; at: GateAt }
type Job = {
  death: Death
  repo: string
  gate: Gate
  commits: number
  connection: number
  workspace?: { name: string; url: string }
}

let harness: Harness
let processes: Processes
let organization: TestOrganization
let user: TestUser
let peers: GitPeer[]
let gates: CallGates
let counter = 0
beforeAll(async () => {
  peers = await Promise.all(Object.values(peerMakers).map(async (make) => make()))
  const privateHosts = peers.map(({ server }) => `git=127.0.0.1:${server.port}`).join(',')
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: privateHosts } })
  processes = await processesOf(harness, { CC_PRIVATE_HOSTS: privateHosts })
  organization = await harness.organization()
  user = await organization.user('Owner')
  gates = new CallGates(peers)
})
afterAll(async () => {
  await processes.close()
  harness.secrets.wrote('the histories', await histories())
  // Looks for each token in every row, log and history, and fails the file where one is found.
  await harness.close()
  for (const peer of peers) await peer.close()
})

/** A repository that is about to be connected, and its gate. */
async function prepare(death: Death, place?: GateAt): Promise<Job> {
  const { peer, empty } = death
  counter += 1
  const repo = `acme/killed-${counter}`
  await peer.createRepository(repo, empty ? undefined : { 'other.txt': 'theirs\n' })
  const commits = empty ? 0 : (await peer.messages(repo)).length
  const token = peer.token()
  harness.secrets.note('a token of a Git host', token)
  let gate: Gate = { calls: [], reached: Promise.resolve('') }
  const beforeStart = () => void (gate = gates.set(repo, place))
  const at = { peer, repo, token, beforeStart }
  const connection = await connectDirectly(harness.deps, organization.id, at)
  return { death, repo, gate, commits, connection }
}

const put = async ({ workspace }: Job, files: Record<string, string>) => {
  const answer = await user.put(`${workspace?.url}/configuration`, { files })
  expect(answer.statusCode, answer.body).toBe(201)
}
const written = async ({ repo, workspace }: Job, count: number) =>
  eventually(async () => {
    const { hydrations } = (await user.get(`${workspace?.url}/hydrations`)).json()
    for (const { state, reason } of hydrations)
      expect(['queued', 'written'], `${repo}: ${reason}`).toContain(state)
    return hydrations.filter(({ state }: { state: string }) => state === 'written').length === count
  }, 240)
const healthy = async ({ connection }: Job) =>
  eventually(async () => {
    const found = (await user.get(`/api/git/connections/${connection}`)).json().connection
    expect(['initializing', 'healthy'], found.statusReason).toContain(found.status)
    return found.status === 'healthy'
  }, 240)

async function configure(job: Job): Promise<void> {
  await healthy(job)
  const name = job.repo.replace('acme/', 'ws-')
  const made = await user.post('/api/workspaces', { name, gitConnectionId: job.connection })
  job.workspace = { name, url: `/api/workspaces/${made.json().workspace.id}` }
  await put(job, first)
  await written(job, 1)
}

/** The calls of both workflows, as they are where nothing dies. */
async function callsOf(peer: GitPeer, empty: boolean): Promise<Record<Workflow, string[]>> {
  const job = await prepare({ peer, empty, workflow: 'prepare', at: { nth: 0, when: 'before' } })
  await configure(job)
  const [preparing] = [job.gate.calls.slice()]
  const gate = gates.set(job.repo)
  await put(job, second)
  await written(job, 2)
  await expectTree(job)
  // Its first version is counted with the preparing: those calls are cut off.
  const end = preparing.findIndex((call) => call.includes('workspaces/ws-'))
  return { prepare: end < 0 ? preparing : preparing.slice(0, end), hydrate: gate.calls.slice() }
}
