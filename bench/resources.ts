import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../config.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { median, p95, table } from './figures.ts'
import { seedResources } from './seed-resources.ts'
import { startApi, type BenchApi } from './start-api.ts'

const rounds = benchConfig.rounds(40)
const few = 10_000
const many = 1_000_000 * benchConfig.scale
const maxRatio = 1.5
const maxMs = 30
const nothing = { pipelines: 1, runs: 1, people: 1, entries: 1 }

const alone = {
  none: '',
  provider: 'provider=azure',
  account: 'accountId=<account>',
  'service, of 20 %': 'service=service-0',
  'service, rare': 'service=service-98',
  type: 'type=service-3:type-3',
  region: 'region=region-9',
  'tag, a key': 'tag=env',
  'tag, of 0.1 %': 'tag=legacy',
  'tag, of 0.5 %': 'tag=team=team-7',
  'tag, of 0.02 %': 'tag=owner=person-77',
  'q, of all': 'q=prod-thing',
  'q, of some': 'q=g-abc',
  'q, of one': 'q=thing-b86fc6b051',
  'q, of none': 'q=no-such-thing',
  'state gone': 'state=gone',
  workspace: 'workspaceId=<workspace>',
  managed: 'managed=true',
  unmanaged: 'managed=false',
  or: 'region=region-1&region=region-2&provider=aws&provider=gcp',
}
const together = {
  'provider, service, region': 'provider=aws&service=service-1&region=region-4',
  'account, region, tag': 'accountId=<account>&region=region-9&tag=env=prod',
  'account, service, q': 'accountId=<account>&service=service-2&q=prod',
  'service, tag, q': 'service=service-0&tag=team=team-7&q=thing',
  'that exclude each other': 'service=service-0&type=service-3:type-3&region=region-1',
  'gone, provider, tag': 'state=gone&provider=gcp&tag=env=dev',
  'region, type, q': 'region=region-10&type=service-8:type-1&q=abc',
  'workspace, region, q': 'workspaceId=<workspace>&region=region-3&q=prod',
  'managed, service, tag': 'managed=true&service=service-1&tag=env=prod',
  'unmanaged, provider, service': 'managed=false&provider=gcp&service=service-98',
}

/** Each filter of the list of resources on a large store beside a small one: first and tenth page. */
export async function resourcesSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-resources-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<void>> = []
  try {
    console.log(`${cpus().length} processors, ${rounds} rounds; filling two stores`)
    const start = async (name: string, count: number) => {
      const api = await startApi({ databaseUrl: engines.databaseUrl, name, dataDir }, nothing)
      closing.push(api.stop)
      const url = new URL(engines.databaseUrl)
      url.pathname = `/${name}`
      const owner = connectOwner(new Secret(url.href))
      const since = performance.now()
      await seedResources(owner, count)
      // Of the middle: neither the first nor the last that was stored.
      const { rows } = await owner.raw(`select id as account,
        (select id from workspaces where name = 'held-25') as workspace
        from cloud_accounts order by id offset 9 limit 1`)
      await owner.destroy()
      console.log(`${count} resources in ${Math.round((performance.now() - since) / 1_000)} s`)
      return { api, ids: rows[0] }
    }
    const small = await start('bench_few', few)
    const large = await start('bench_many', many)
    return await compare(small, large)
  } finally {
    for (const close of closing) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Side = { api: BenchApi; ids: { account: number; workspace: number } }
type Subject = { name: string; page: string; small: string; large: string }

async function compare(small: Side, large: Side): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const subjects: Subject[] = []
  for (const [name, filter] of Object.entries({ ...alone, ...together })) {
    const [few, many] = await Promise.all(
      [small, large].map(async (side) => pagesOf(agent, side, filter)),
    )
    if (!few || !many) throw new Error('both sides have pages')
    subjects.push({ name, page: 'first', small: few.first, large: many.first })
    const page = many.isTenth ? 'tenth' : 'last'
    subjects.push({ name, page, small: few.later, large: many.later })
  }
  const times = new Map(subjects.map((subject) => [subject, { small: [0], large: [0] }]))
  for (const measured of times.values()) for (const list of Object.values(measured)) list.pop()
  // The first rounds warm up compilers, query plans and caches.
  for (let round = -3; round < rounds; round += 1)
    for (const [subject, measured] of times)
      for (const side of ['small', 'large'] as const) {
        const { api } = side === 'small' ? small : large
        const ms = await time(agent, api, subject[side])
        if (round >= 0) measured[side].push(ms)
      }
  agent.destroy()
  return report(times)
}

/** The addresses of the first page and of the tenth, or of the last where there are fewer. */
async function pagesOf(agent: Agent, { api, ids }: Side, filter: string) {
  const named = filter
    .replace('<account>', `${ids.account}`)
    .replace('<workspace>', `${ids.workspace}`)
  const first = `/api/cloud/resources?${named}`
  let later = first
  for (let page = 1; page < 10; page += 1) {
    const { body } = await get(agent, api, later)
    // The answer of the API has this shape.
    const { nextCursor } = JSON.parse(body) as { nextCursor: string | null }
    if (nextCursor === null) return { first, later, isTenth: false }
    later = `${first}&cursor=${nextCursor}`
  }
  return { first, later, isTenth: true }
}

async function time(agent: Agent, api: BenchApi, path: string): Promise<number> {
  const since = performance.now()
  await get(agent, api, path)
  return performance.now() - since
}

async function get(agent: Agent, { address, cookie }: BenchApi, path: string) {
  return new Promise<{ body: string }>((resolve, reject) => {
    const sent = request(`${address}${path}`, { agent, headers: { cookie } }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('end', () =>
        response.statusCode === 200 ? resolve({ body }) : reject(new Error(`${path}: ${body}`)),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

function report(times: Map<Subject, { small: number[]; large: number[] }>): boolean {
  const cell = (value: number) => value.toFixed(1)
  const rows = [['filter', 'page', `p50 ${few}`, `p50 ${many}`, 'p95', 'p95', '/', '']]
  let good = true
  for (const [{ name, page }, { small, large }] of times) {
    const ratio = p95(large) / p95(small)
    const fits = ratio <= maxRatio && p95(large) <= maxMs
    good &&= fits
    rows.push([
      name,
      page,
      cell(median(small)),
      cell(median(large)),
      cell(p95(small)),
      cell(p95(large)),
      ratio.toFixed(2),
      fits ? 'ok' : 'OVER',
    ])
  }
  console.log(`\nms; limits: p95 at most ${maxRatio} × and ${maxMs} ms\n\n${table(rows)}\n`)
  return good
}
