import { setTimeout as sleep } from 'node:timers/promises'
import { benchConfig } from '../config.ts'
import { cpuTime } from '../cpu-time.ts'
import { atMost, median, p95, type Held } from '../figures.ts'
import { watchMemory } from '../watch-memory.ts'
import { openAgents, type AgentClient, type Claimed } from './agent-client.ts'
import { made } from './application.ts'
import { deployBy, openFleet, type Fleet } from './fleet.ts'
import { followLog } from './follow-log.ts'
import type { World } from './world.ts'

const rounds = benchConfig.rounds(5)
const idleMs = benchConfig.forMs(60_000)
const idleAgents = Math.round(1_000 * benchConfig.scale)
const hosts = 50
const workMs = 500
const artifactMb = Math.max(1, Math.round(500 * benchConfig.scale))

/** The limits of docs/decisions/0218-what-a-deployment-costs.md. */
const mayBe = {
  idleShare: 5,
  idleMb: 150,
  claimMs: 100,
  readableMs: 500,
  downloadsMb: 64,
}

/** Open claims of 1,000 agents that have nothing to do: the API's and PostgreSQL's time, and the API's memory. */
export async function idleOnes({ platform }: World): Promise<Held[]> {
  const workspaceId = await made(platform.call, '/workspaces', { name: 'idle' })
  const { api = 0, postgres = 0 } = platform.pids()
  // The first calls load what every later one needs.
  const first = await made(platform.call, '/workspaces', { name: 'first' })
  const known = await openAgents(platform, { workspaceId: first, count: 1, name: 'first' })
  const memory = watchMemory(() => ({ api }))
  const agents = await openAgents(platform, { workspaceId, count: idleAgents, name: 'idle' })
  const waiting = agents.map(async (agent) => agent.claim())
  await sleep(10_000)
  const before = cpuTime({ api, postgres })
  await sleep(idleMs)
  const after = cpuTime({ api, postgres })
  memory.stop()
  for (const agent of [...known, ...agents]) agent.close()
  await Promise.all(waiting)
  const share = (part: string) =>
    (100 * ((after[part] ?? 0) - (before[part] ?? 0)) * 1_000) / idleMs
  return [
    atMost(
      `${idleAgents} idle agents, of one core, API and PostgreSQL (${share('postgres').toFixed(1)} %)`,
      [share('api') + share('postgres'), mayBe.idleShare],
      '%',
    ),
    atMost(`memory of the API with them`, [memory.gained()['api'] ?? Infinity, mayBe.idleMb], 'MB'),
  ]
}

/** From the moment at which a host is told to deploy until its claim is answered. */
export async function claims(world: World): Promise<Held[]> {
  const fleet = await openFleet(world, { name: 'claims', size: 10, hosts })
  const took: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const claimedAt = new Map<string, number>()
    const runId = await deployBy(fleet, 'by-ten', async (_agent, { atMs }, at) => {
      claimedAt.set(`claims-${at + 1}`, atMs)
      // What an agent does takes longer, so that its result is not beside the claims of its batch.
      await sleep(workMs)
    })
    const { rows } = await world.platform.store.platform.raw<{
      rows: Array<{ name: string; wantedAt: Date }>
    }>(
      `select a.name, h.wanted_at as "wantedAt" from deployment_hosts h join agents a on a.id = h.agent_id
       where h.pipeline_run_id = ?`,
      [runId],
    )
    for (const { name, wantedAt } of rows)
      took.push((claimedAt.get(name) ?? Infinity) - wantedAt.getTime())
  }
  for (const agent of fleet.agents) agent.close()
  return [
    atMost(
      `a claim after its batch, p95 of ${took.length}, median ${median(took).toFixed(0)} ms`,
      [p95(took), mayBe.claimMs],
      'ms',
    ),
  ]
}

/** 50 hosts that load the artifact at the same time. */
export async function downloads(world: World): Promise<Held[]> {
  const fleet = await openFleet(world, { name: 'downloads', size: artifactMb * 1_000_000, hosts })
  const { api = 0 } = world.platform.pids()
  // The first download loads what every later one needs.
  await deployAndDownload(fleet, { hostCount: 1 })
  const memory = watchMemory(() => ({ api }))
  const { bytes, tookMs } = await deployAndDownload(fleet, { hostCount: hosts })
  memory.stop()
  for (const agent of fleet.agents) agent.close()
  if (bytes < artifactMb * 1_000_000 * hosts) throw new Error(`${bytes} bytes were read`)
  return [
    atMost(
      `memory of the API with ${hosts} downloads of ${artifactMb} MB at once (${(bytes / tookMs / 1_000).toFixed(0)} MB/s)`,
      [memory.gained()['api'] ?? Infinity, mayBe.downloadsMb],
      'MB',
    ),
  ]
}

async function deployAndDownload(
  fleet: Fleet,
  { hostCount }: { hostCount: number },
): Promise<{ bytes: number; tookMs: number }> {
  let bytes = 0
  let firstAt = Infinity
  let lastAt = 0
  await deployBy(fleet, 'at-once', async (agent, claimed, at) => {
    if (at >= hostCount) return
    firstAt = Math.min(firstAt, Date.now())
    const read = await agent.download(claimed)
    bytes += read
    lastAt = Date.now()
  })
  return { bytes, tookMs: lastAt - firstAt }
}

const printing = { lines: 20, everyMs: 100, times: 100 }

/** 50 hosts that each print 200 lines a second, and a person who reads the log. */
export async function hostLines(world: World): Promise<Held[]> {
  const fleet = await openFleet(world, { name: 'lines', size: 10, hosts })
  const took: number[] = []
  let holes = 0
  const reading = Promise.withResolvers<Promise<number[]>>()
  const runId = await deployBy(fleet, 'at-once', async (agent, claimed, at) => {
    if (at === 0) reading.resolve(readLog(fleet, claimed.id, took))
    await print(agent, claimed)
  })
  const seqs = await reading.promise
  for (const [at, seq] of seqs.entries()) if (at > 0 && seq !== (seqs[at - 1] ?? 0) + 1) holes += 1
  for (const agent of fleet.agents) agent.close()
  const printed = hosts * printing.lines * printing.times
  if (took.length !== printed)
    throw new Error(`${took.length} of ${printed} lines of run ${runId} were read`)
  return [
    atMost(
      `a line of ${hosts} hosts with 200 a second each until it is read, p95 of ${took.length}, median ${median(took).toFixed(0)} ms`,
      [p95(took), mayBe.readableMs],
      'ms',
    ),
    atMost('holes in the numbers of these lines', [holes, 0], ''),
  ]
}

/** Sends what was printed as soon as the last batch was answered, and looks for more each 100 ms, as the agent does. */
async function print(agent: AgentClient, claimed: Claimed): Promise<void> {
  const queue: string[] = []
  let isOver = false
  const sending = (async () => {
    for (let batch = 1; ;) {
      const isLast = isOver
      const lines = queue.splice(0, 500)
      if (lines.length > 0) await agent.lines(claimed, batch++, lines)
      else if (isLast) return
      else await sleep(100)
    }
  })()
  const begin = performance.now() + Math.random() * printing.everyMs
  for (let time = 0; time < printing.times; time += 1) {
    await sleep(Math.max(0, begin + time * printing.everyMs - performance.now()))
    for (let n = 0; n < printing.lines; n += 1) queue.push(`printed ${Date.now()} ${n}`)
  }
  isOver = true
  await sending
}

/** Notes how old each line is when it comes, and resolves to the numbers of all lines. */
async function readLog(
  { world: { platform }, application: { runs } }: Fleet,
  runId: number,
  took: number[],
): Promise<number[]> {
  const seqs: number[] = []
  for await (const { seq, line, atMs } of followLog(platform, { runs, runId, stage: 'deploy' })) {
    seqs.push(seq)
    const printedAt = /printed (\d+) /.exec(line)?.[1]
    if (printedAt !== undefined) took.push(atMs - Number(printedAt))
  }
  return seqs
}
