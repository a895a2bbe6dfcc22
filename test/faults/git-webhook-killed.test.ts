import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWebhookSecret } from '../../app/git/sync-webhook.ts'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { startWebhook } from '../../app/git/start-webhook.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { CallGates, type Gate, type GateAt } from '../harness/git/call-gates.ts'
import { connectDirectly } from '../harness/git/connect-directly.ts'
import { eventually, peerMakers } from '../harness/git/git-harness.ts'
import type { GitPeer } from '../harness/git/git-peer.ts'
import { sharedOwners, type Owner } from '../harness/git/shared-owners.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import { textOfHistories } from '../harness/written-by.ts'

// As in git-worker-killed.test.ts: each job blocks at its own call, before or after the provider
// handles it, and one `kill -9` of the worker hits all jobs. The calls here follow from a webhook:
// its registration, the comment on a pull request when it is created and when it changes, and the
// read of a push. The pull request's configuration is invalid, so no plan runs. KILL_AT=all also
// blocks each call before the provider handles it.
const moments =
  process.env['KILL_AT'] === 'all' ? (['before', 'after'] as const) : ['after' as const]
const steps = ['webhook', 'comment', 'change', 'push'] as const
type Step = (typeof steps)[number]
type Death = { peer: GitPeer; step: Step; at: GateAt | undefined }
type Job = Owner & {
  death: Death
  repo: string
  gate: Gate
  connection: number
  url: string
  pull: number
}

let harness: Harness
let processes: Processes
let nextOwner: () => Owner
let peers: GitPeer[]
let gates: CallGates
let counter = 0
beforeAll(async () => {
  peers = await Promise.all(Object.values(peerMakers).map(async (make) => make()))
  const privateHosts = peers.map(({ server }) => `git=127.0.0.1:${server.port}`).join(',')
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: privateHosts } })
  const { baseUrl } = harness.config
  processes = await processesOf(harness, {
    CC_PRIVATE_HOSTS: privateHosts,
    ...(baseUrl !== undefined && { CC_BASE_URL: baseUrl }),
  })
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

const rows = async (table: string, where: Record<string, unknown>) =>
  harness.deps.store.platform(table).where(where)

/** A connected repository, with a workspace that is read from it. */
async function connect(death: Death): Promise<Job> {
  const { peer } = death
  counter += 1
  const name = `hooked-${counter}`
  const repo = `acme/${name}`
  await peer.createRepository(repo, { 'live/main.tf': '# one\n' })
  const token = peer.token()
  harness.secrets.note('a token of a Git host', token)
  const owner = nextOwner()
  const { organization, user } = owner
  const connection = await connectDirectly(harness.deps, organization.id, { peer, repo, token })
  const job = { ...owner, death, repo, gate: gates.set(repo), connection, url: '', pull: 0 }
  await eventually(async () => (await connectionOf(job)).status === 'healthy', { looks: 2_000 })
  const made = await user.post('/api/workspaces', {
    name,
    gitConnectionId: connection,
    source: { kind: 'git' },
    path: 'live',
  })
  expect(made.statusCode, made.body).toBe(201)
  return { ...job, url: `/api/workspaces/${made.json().workspace.id}` }
}
const connectionOf = async ({ connection: id }: Job) => (await rows('git_connections', { id }))[0]
const commentsOf = async ({ death: { peer }, repo, pull }: Job) => peer.comments(repo, pull)

/**
 * Registers the webhook by its workflow only, as after the death of the process that connected the
 * repository.
 */
async function register(job: Job): Promise<void> {
  const { organization } = job
  await harness.deps.store.tenant(organization.id, async (tenant) => {
    const connections = gitConnections(tenant)
    await connections.webhookSecret(job.connection, newWebhookSecret(harness.deps, organization.id))
    await connections.update(job.connection, { webhookState: 'pending' })
    await startWebhook(tenant, job.connection)
  })
  await harness.deps.store
    .platform('outbox')
    .whereLike('dedupeKey', `git-webhook/${job.connection}/%`)
    .update({ availableAt: new Date() })
}
const registered = async (job: Job) =>
  eventually(async () => (await connectionOf(job)).webhookState === 'active', { looks: 2_000 })

/** Opens a pull request that cannot be planned. The comment says so. */
async function propose(job: Job): Promise<void> {
  const { peer } = job.death
  await peer.branch(job.repo, 'main', 'feature')
  await peer.edit(job.repo, { branch: 'feature', write: { 'live/.terraform/x': '#\n' } })
  job.pull = await peer.openPull(job.repo, { from: 'feature' })
  await deliver(job, { pullRequest: job.pull })
}
/** Changes the reason, and so the comment. */
async function change(job: Job): Promise<void> {
  await job.death.peer.edit(job.repo, {
    branch: 'feature',
    remove: ['live/.terraform/x'],
    write: { 'live/zz_cloud_control_x.tf': '#\n' },
  })
  await deliver(job, { pullRequest: job.pull, action: 'updated' })
}
async function push(job: Job): Promise<void> {
  await job.death.peer.edit(job.repo, { write: { 'live/main.tf': '# two\n' } })
  await deliver(job, { push: 'main' })
}
async function deliver(job: Job, event: Parameters<GitPeer['deliver']>[1]): Promise<void> {
  const answer = await job.death.peer.deliver(job.repo, event)
  expect(answer.status, answer.text).toBe(200)
}
const told = async (job: Job, word: RegExp) =>
  eventually(async () => (await commentsOf(job)).some((text) => word.test(text)), { looks: 2_000 })
const taken = async (job: Job) =>
  eventually(
    async () => {
      const { configuration } = (await job.user.get(`${job.url}/configuration`)).json()
      return configuration?.files['live/main.tf'] === '# two\n'
    },
    { looks: 2_000 },
  )

const doing: Record<Step, (job: Job) => Promise<void>> = {
  webhook: register,
  comment: propose,
  change,
  push,
}
const done: Record<Step, (job: Job) => Promise<unknown>> = {
  webhook: registered,
  comment: async (job) => told(job, /OpenTofu/),
  change: async (job) => told(job, /reserved/),
  push: taken,
}
/** Runs all steps before the one that is killed. */
async function upTo(job: Job, step: Step): Promise<void> {
  for (const before of steps.slice(0, steps.indexOf(step))) {
    await doing[before](job)
    await done[before](job)
  }
}

const isRead = (call: string) => /^(GET|HEAD) |git-upload-pack$/.test(call)

/**
 * The calls of one provider at which the worker is killed: each write, and the last read of a push.
 */
async function deathsAt(peer: GitPeer): Promise<Death[]> {
  const job = await connect({ peer, step: 'webhook', at: undefined })
  const deaths: Death[] = []
  for (const step of steps) {
    const { calls } = gates.set(job.repo)
    await doing[step](job)
    await done[step](job).catch((error: unknown) => {
      throw new Error(`${peer.product}, ${step}: ${calls.join('\n')}`, { cause: error })
    })
    const met = step === 'push' ? calls.slice(-1) : calls.filter((call) => !isRead(call))
    expect(met.length, `${peer.product}, ${step}: ${calls.join('\n')}`).toBeGreaterThan(0)
    met.forEach((call, index) => {
      const all = step === 'push' ? calls : met.slice(0, index + 1)
      const nth = all.filter((one) => one === call).length
      for (const when of moments) deaths.push({ peer, step, at: { call, nth, when } })
    })
  }
  return deaths
}

async function standAtGate(death: Death): Promise<Job> {
  const job = await connect(death)
  await upTo(job, death.step)
  job.gate = gates.set(job.repo, death.at)
  await doing[death.step](job)
  const late = new Promise<never>((_, reject) => {
    const tell = () =>
      reject(
        new Error(
          `${death.peer.product}, ${death.step} never came to ${JSON.stringify(death.at)}:\n${job.gate.calls.join('\n')}`,
        ),
      )
    setTimeout(tell, 120_000).unref()
  })
  await Promise.race([job.gate.reached, late])
  return job
}

/** One webhook, one comment, one version and one run, at whichever call the worker was killed. */
async function expectAllDone(job: Job): Promise<void> {
  const { step } = job.death
  const at = `${job.repo}: ${job.death.peer.product}, ${step}`
  expect(await job.death.peer.hooks(job.repo), at).toHaveLength(1)
  if (step === 'webhook') return
  await eventually(
    async () => {
      const found = await rows('git_deliveries', { connectionId: job.connection })
      return found.every(({ handledAt }: { handledAt: Date | null }) => handledAt)
    },
    { looks: 2_000 },
  )
  // The writer of a comment releases its lease at the end. A killed writer never did.
  await eventually(
    async () => {
      const [pull] = await rows('git_pull_requests', { connectionId: job.connection })
      return pull?.commentId && pull.busyUntil === null
    },
    { looks: 2_000 },
  )
  expect(await commentsOf(job), at).toHaveLength(1)
  if (step !== 'push') return
  expect(
    (await job.user.get(`${job.url}/configuration/versions`)).json().versions,
    at,
  ).toHaveLength(1)
  expect((await job.user.get(`${job.url}/runs`)).json().runs, at).toHaveLength(1)
}

test('kill -9 of the worker at each call: one webhook, one comment and one version of a push remain', async () => {
  let worker = await processes.startWorker()
  const deaths = (await Promise.all(peers.map(deathsAt))).flat()
  const jobs = await Promise.all(deaths.map(standAtGate))
  console.log(deaths.map(({ peer, at }) => `${peer.product}: ${at?.when} ${at?.call}`).join('\n'))
  await worker.kill()
  // Ends the one-minute lease that a killed writer holds on its comment.
  await harness.deps.store
    .platform('git_pull_requests')
    .whereNotNull('busyUntil')
    .update({ busyUntil: new Date() })
  gates.open()
  worker = await processes.startWorker()
  for (const job of jobs) await done[job.death.step](job)
  for (const job of jobs) await expectAllDone(job)
}, 3_600_000)

/** All workflow histories that Temporal stores. */
async function histories(): Promise<string> {
  const { config } = harness
  const connection = await Connection.connect(connectionOptions(config))
  const client = new Client({ connection, namespace: config.temporal.namespace })
  const text = await textOfHistories(client)
  for (const workflow of ['takeDelivery', 'writePullRequestComment', 'registerWebhook'])
    expect(text.includes(workflow), workflow).toBe(true)
  await connection.close()
  return text
}
