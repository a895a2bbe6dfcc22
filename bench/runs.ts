import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../config.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { median, p95, table } from './figures.ts'
import { seedListedRuns } from './seed-listed-runs.ts'
import { startApi, type BenchApi } from './start-api.ts'

const rounds = benchConfig.rounds(40)
const maxMs = 30
const runs = 100_000 * benchConfig.scale
const size = { pipelines: 500, runs, people: 100, entries: 1 }

const filters = {
  none: '',
  running: 'state=running',
  failed: 'state=failed',
  succeeded: 'state=succeeded',
  'succeeded or canceled': 'state=succeeded&state=canceled',
  'reason, rare': 'reason=policy_denied',
  'reason, of none': 'reason=plan_forged',
  'waits for approval': 'awaitingApproval=true',
  mine: 'mine=true',
  'running, not waiting': 'state=running&awaitingApproval=false',
  'kind plan': 'kind=plan',
  workspace: 'workspaceId=<workspace>',
  'workspace, failed': 'workspaceId=<workspace>&state=failed',
  pipeline: 'pipelineId=<pipeline>',
  author: 'author=<author>',
  'author, failed': 'author=<author>&state=failed',
  'author of none': 'author=2147483647',
  'origin push': 'origin=push',
  'origin, of one': 'origin=drift',
  'origin, of none': 'origin=schedule',
  'from, a day': 'from=<yesterday>',
  'to, half of all': 'to=<middle>',
  'from and to, a day': 'from=<middle>&to=<after>',
  'q, of all': 'q=ws',
  'q, of one workspace': 'q=ws-333',
  'q, messages': 'q=release',
  'q, one message': 'q=needle',
  'q, of none': 'q=no-such-thing',
  'failed, push, q': 'state=failed&origin=push&q=release',
  'failed, q of none': 'state=failed&q=no-such-thing',
  'author, q, from': 'author=<author>&q=release&from=<middle>',
}

/** Each filter of the list of runs over all workspaces, on 100,000 runs: first and tenth page. */
export async function runsSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-runs-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<void>> = []
  try {
    console.log(`${cpus().length} processors, ${rounds} rounds; storing ${runs} runs`)
    const api = await startApi({ databaseUrl: engines.databaseUrl, name: 'bench', dataDir }, size)
    closing.push(api.stop)
    const owner = connectOwner(new Secret(api.databaseUrl))
    await seedListedRuns(owner)
    // Of the middle: neither the first nor the last that was stored.
    const { rows } = await owner.raw(`select
      (select id from workspaces order by id offset 250 limit 1) as workspace,
      (select id from pipelines order by id offset 250 limit 1) as pipeline,
      (select min(id) + 50 from users) as author`)
    await owner.destroy()
    return await measure(api, rows[0])
  } finally {
    for (const close of closing) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measure(api: BenchApi, ids: Record<string, number>): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const middle = (runs * 5) / 60 / 24 / 2
  const values: Record<string, string | number> = {
    ...ids,
    yesterday: daysAgo(1),
    middle: daysAgo(middle),
    after: daysAgo(middle - 1),
  }
  const subjects = new Map<string, { path: string; times: number[] }>()
  for (const [name, filter] of Object.entries(filters)) {
    const named = filter.replaceAll(/<(\w+)>/g, (_all, key: string) => String(values[key]))
    const pages = await pagesOf(agent, api, named)
    subjects.set(`${name}, first`, { path: pages.first, times: [] })
    if (pages.later !== pages.first)
      subjects.set(`${name}, ${pages.number}.`, { path: pages.later, times: [] })
  }
  // The first rounds warm up compilers, query plans and caches.
  for (let round = -3; round < rounds; round += 1)
    for (const { path, times } of subjects.values()) {
      const since = performance.now()
      await get(agent, api, path)
      if (round >= 0) times.push(performance.now() - since)
    }
  agent.destroy()
  return report(subjects)
}

/** The addresses of the first page and of the tenth, or of the last where there are fewer. */
async function pagesOf(agent: Agent, api: BenchApi, filter: string) {
  const first = `/api/runs?${filter}`
  let later = first
  let number = 1
  while (number < 10) {
    // The answer of the API has this shape.
    const { nextCursor } = JSON.parse(await get(agent, api, later)) as { nextCursor: string | null }
    if (nextCursor === null) break
    later = `${first}&cursor=${nextCursor}`
    number += 1
  }
  return { first, later, number }
}

async function get(agent: Agent, { address, cookie }: BenchApi, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { agent, headers: { cookie } }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('end', () =>
        response.statusCode === 200 ? resolve(body) : reject(new Error(`${path}: ${body}`)),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

function report(subjects: Map<string, { times: number[] }>): boolean {
  let good = true
  const rows = [['filter, page', 'p50', 'p95', '']]
  for (const [name, { times }] of subjects) {
    const fits = p95(times) <= maxMs
    good &&= fits
    rows.push([name, median(times).toFixed(1), p95(times).toFixed(1), fits ? 'ok' : 'OVER'])
  }
  console.log(`\nms; limit: p95 at most ${maxMs} ms\n\n${table(rows)}\n`)
  return good
}
