import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../config.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { pidOfPostgres } from './api.ts'
import { benchConfig } from './config.ts'
import { cpuSince, cpuTime } from './cpu-time.ts'
import { median, quantile, table } from './figures.ts'
import { newToken } from './scim.ts'
import { scimPerson } from './scim-person.ts'
import { SocketClient } from './socket-client.ts'
import { startApi, startBare, type BenchApi } from './start-api.ts'

const rounds = benchConfig.rounds(9)
const size = { pipelines: 1_500, runs: 10_000, people: 1_000, entries: 1_000 }
const scim = '/api/scim/v2/Users'

type Copy = BenchApi & { token: string; waiting: string[] }
type Ask = [method: string, path: string, body?: unknown]
/** `count` requests make a round: in rounds of a fixed time a busy machine would answer too few. */
type Request = { count: number; next: (n: number, round: number, copy: Copy) => Ask }

const get = (path: string, count: number): Request => ({ count, next: () => ['GET', path] })
const decide = (decision: string): Request => ({
  count: 40,
  next: (_n, _round, { waiting }) => ['POST', `${waiting.pop() ?? ''}/${decision}`, {}],
})
const lookUp = `${scim}?filter=${encodeURIComponent('externalId eq "ext-777"')}`

/** Each is measured in every copy. Reads on lanes, transactions that read, and writes. */
const requests: Record<string, Request> = {
  me: get('/api/auth/me', 1_000),
  pipelines: get('/api/pipelines', 500),
  'a page of runs': get('/api/pipelines/250/runs', 500),
  'a page of the audit log': get('/api/audit', 500),
  'SCIM look-up': get(lookUp, 500),
  approve: decide('approve'),
  reject: decide('reject'),
  'SCIM creation': {
    count: 500,
    next: (n, round) => ['POST', scim, scimPerson(`${round}-${n}`)],
  },
}

/**
 * Measures the CPU time of the API and PostgreSQL for one request, in this working copy and others.
 * Every round measures each copy in turn, and starts with another one, so that other load on the
 * machine affects all. This copy runs twice: `control` shows what the measurement itself varies by.
 */
export async function copiesSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-copies-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<void>> = []
  try {
    const here = join(import.meta.dirname, '..')
    const copies: Record<string, Copy> = {}
    const roots = Object.entries({ this: here, control: here, ...benchConfig.copies })
    for (const [place, [name, root]] of roots.entries()) {
      const at = { databaseUrl: engines.databaseUrl, name: `bench_${place}`, dataDir, root }
      const api = await startApi(at, size)
      closing.push(api.stop)
      copies[name] = { ...api, token: await newToken(api), waiting: await waitingRuns(api) }
    }
    const bare = await startBare(engines.databaseUrl, 'bench_0')
    closing.push(bare.stop)
    const postgresPid = await pidOfPostgres(engines.databaseUrl)
    for (const [name, request] of Object.entries(requests))
      if ((benchConfig.only ?? '').split(',').some((part) => name.includes(part)))
        report(name, await measure(request, { copies, bare, postgresPid }))
    return true
  } finally {
    for (const close of closing) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Figures = { cpuMs: number; p50: number }
type Measured = Record<string, Figures[]>
type Measuring = { copies: Record<string, Copy>; bare: BenchApi; postgresPid: number }

async function measure(request: Request, measuring: Measuring): Promise<Measured> {
  const { copies, bare, postgresPid } = measuring
  const subjects = Object.entries({ bare: { ...bare, token: '', waiting: [] }, ...copies })
  const measured: Measured = Object.fromEntries(subjects.map(([name]) => [name, []]))
  // The first round warms up compilers, query plans and caches.
  for (let round = 0; round <= rounds; round += 1)
    for (const place of subjects.keys()) {
      const subject = subjects[(place + round) % subjects.length]
      if (!subject) continue
      const [name, copy] = subject
      const { count, next } = name === 'bare' ? get('/row/1', 1_000) : request
      const parts = { server: copy.pid, postgres: postgresPid }
      const before = cpuTime(parts)
      const sent = round === 0 ? count * 4 : count
      const p50 = await askAll(copy, sent, (n) => next(n, round, copy))
      const { server = 0, postgres = 0 } = cpuSince(before, cpuTime(parts))
      if (round > 0) measured[name]?.push({ cpuMs: ((server + postgres) * 1_000) / sent, p50 })
    }
  return measured
}

/**
 * Makes the newest run of each workspace a production run that another person started and that
 * waits for the owner's approval. Returns the addresses of these runs.
 */
async function waitingRuns({ databaseUrl }: BenchApi): Promise<string[]> {
  const owner = connectOwner(new Secret(databaseUrl))
  try {
    await owner.raw(`update workspaces set criticality = 'production'`)
    const { rows } = await owner.raw(`with waiting as (update workspace_runs
        set phase = 'awaiting_approval', plan_digest = 'sha256:0',
          author_user_id = (select min(id) from users where email like '%@bench.example')
        where id in (select max(id) from workspace_runs group by workspace_id) returning id)
      select format('/api/pipelines/%s/runs/%s', p.pipeline_id, p.id) as path
      from pipeline_runs p join waiting w on p.workspace_run_id = w.id`)
    return rows.map(({ path }: { path: string }) => path)
  } finally {
    await owner.destroy()
  }
}

/** Sends so many requests on 8 connections. Returns the median of their times in milliseconds. */
async function askAll(
  { address, cookie, token }: Copy,
  count: number,
  next: (n: number) => Ask,
): Promise<number> {
  const took: number[] = []
  let sent = 0
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const client = await SocketClient.open(address, { cookie, origin: address })
      const connector = await SocketClient.open(address, { authorization: `Bearer ${token}` })
      while (sent < count) {
        const ask = next((sent += 1))
        const by = ask[1].startsWith('/api/scim') ? connector : client
        const { status, body, tookMs } = await by.ask(...ask)
        if (status > 299) throw new Error(`${status}: ${body.slice(0, 300)}`)
        took.push(tookMs)
      }
      client.close()
      connector.close()
    }),
  )
  return median(took)
}

/** Ratios are taken per round. Above 1 the copy costs more than this one. */
function report(request: string, measured: Measured): void {
  const ratios = (name: string, beside: string, field: keyof Figures) =>
    (measured[name] ?? []).map(
      (figures, round) => figures[field] / (measured[beside]?.[round]?.[field] ?? Number.NaN),
    )
  const spread = (values: number[]) =>
    `${median(values).toFixed(3)} (${quantile(values, 0.25).toFixed(2)}-${quantile(values, 0.75).toFixed(2)})`
  const rows = Object.entries(measured).map(([name, figures]) => [
    name,
    median(figures.map(({ cpuMs }) => cpuMs)).toFixed(3),
    median(ratios(name, 'bare', 'cpuMs')).toFixed(2),
    spread(ratios(name, 'this', 'cpuMs')),
    spread(ratios(name, 'this', 'p50')),
  ])
  const head = [request, 'CPU ms', 'to bare row', 'to this copy', 'p50 to this copy']
  console.log(`\n${table([head, ...rows])}`)
}
