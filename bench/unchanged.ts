import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMoto, type Keys, type Moto } from '../test/harness/clouds/moto.ts'
import { focusCsv } from '../test/harness/finops/focus-csv.ts'
import { benchConfig } from './config.ts'
import { cpuTime } from './cpu-time.ts'
import { median, table } from './figures.ts'
import { startPlatform, type Platform } from './start-platform.ts'

/** The bars of issue 15: CPU time of our own processes, and the time from the request until the ingest has ended. */
const bars = { workMs: 200, allMs: 1_000 }
const ingests = benchConfig.rounds(20)
const months = 3
const settledMs = 15_000
const betweenLooksMs = 25

const say = (line: string): void => console.log(line)

/** Ingests of an AWS account whose bills of three months in moto's S3 have not changed since the last one. */
export async function unchangedSuite(): Promise<boolean> {
  const moto = await startMoto()
  try {
    await putBills(moto)
    const hosts = `cloud=127.0.0.1:${moto.port},billing=127.0.0.1:${moto.port}`
    const platform = await startPlatform(say, { CC_PRIVATE_HOSTS: hosts })
    try {
      return await measure(platform, moto)
    } finally {
      await platform.stop()
    }
  } finally {
    await moto.stop()
  }
}

async function measure(platform: Platform, moto: Moto): Promise<boolean> {
  say(`${cpus().length} processors`)
  await connect(platform, moto)
  // The worker is ready before all of its parts are loaded.
  await sleep(settledMs)
  const waits: number[] = []
  for (let ingest = 0; ingest < ingests; ingest += 1) {
    const since = performance.now()
    await endOf(platform, await start(platform), betweenLooksMs)
    waits.push(performance.now() - since)
  }

  const working = await cpuPerSecond(platform, async () => {
    // No look at the API in between, which would be counted as work.
    for (let ingest = 0; ingest < ingests; ingest += 1)
      await endOf(platform, await start(platform), bars.allMs)
  })
  const idle = await cpuPerSecond(platform, async () => sleep(ingests * bars.allMs))
  const spent = (of: Cpu) => of.ofPart('api') + of.ofPart('worker')
  // Each ingest takes its second with the pause before the look at it.
  const work = (spent(working) - spent(idle)) * (working.seconds / ingests)
  say(
    `CPU time a second with an unchanged ingest in each, its request and one look: ${working.words}`,
  )
  say(`CPU time a second without: ${idle.words}`)

  const rows = [
    row('CPU time of API and worker for an ingest', work, bars.workMs),
    row(`from the request to the end, median of ${ingests}`, median(waits), bars.allMs),
    row('the longest of them', Math.max(...waits), bars.allMs),
  ]
  say(`\n${table([['', 'is', 'bar', ''], ...rows.map(({ cells }) => cells)])}\n`)
  return rows.every(({ holds }) => holds)
}

type Cpu = { seconds: number; ofPart: (name: string) => number; words: string }

/** Milliseconds of CPU time a second of each part of the platform. */
async function cpuPerSecond(platform: Platform, work: () => Promise<void>): Promise<Cpu> {
  const since = performance.now()
  const before = cpuTime(platform.pids())
  await work()
  const after = cpuTime(platform.pids())
  const seconds = (performance.now() - since) / 1_000
  const ofPart = (name: string) => (((after[name] ?? 0) - (before[name] ?? 0)) * 1_000) / seconds
  const parts = Object.keys(after).map((name) => `${name} ${ofPart(name).toFixed(0)} ms`)
  return { seconds, ofPart, words: parts.join(', ') }
}

function row(what: string, ms: number, bar: number) {
  const holds = ms <= bar
  return { holds, cells: [what, `${ms.toFixed(0)} ms`, `${bar} ms`, holds ? 'ok' : 'OVER'] }
}

async function connect(platform: Platform, moto: Moto): Promise<void> {
  let credentials: Keys = { accessKeyId: '', secretAccessKey: '' }
  await moto.setUp(async () => {
    credentials = await moto.user('billing', [
      's3:ListBucket',
      's3:GetObject',
      'tag:GetResources',
      'ec2:DescribeRegions',
    ])
  })
  await platform.call('POST', '/cloud/accounts', {
    provider: 'aws',
    name: 'billed',
    accountId: '123456789012',
    credentials,
    endpoint: moto.url,
    regions: ['us-east-1'],
    billing: { bucket: 'bills', prefix: 'costs', region: 'us-east-1', exportName: 'focus' },
  })
  for (;;) {
    const { body } = await platform.call('GET', '/finops/ingests?limit=1')
    // The answer of the API has this shape.
    const [newest] = body['ingests'] as Ingest[]
    if (newest && newest.state !== 'running') {
      if (newest.state !== 'succeeded') throw new Error(JSON.stringify(newest))
      return
    }
    await sleep(200)
  }
}

type Ingest = { id: number; state: string; recordsUpserted: number }

async function start({ call }: Platform): Promise<number> {
  const { body } = await call('POST', '/finops/ingest', {})
  // The answer of the API has this shape.
  return (body['ingest'] as Ingest).id
}

async function endOf({ call }: Platform, id: number, everyMs: number): Promise<void> {
  for (;;) {
    await sleep(everyMs)
    const { body } = await call('GET', `/finops/ingests/${id}`)
    // The answer of the API has this shape.
    const ingest = body['ingest'] as Ingest
    if (ingest.state === 'running') continue
    if (ingest.state !== 'succeeded' || ingest.recordsUpserted !== 0)
      throw new Error(JSON.stringify(ingest))
    return
  }
}

async function putBills(moto: Moto): Promise<void> {
  const put = async (path: string, body?: string) => {
    const { ok } = await fetch(`${moto.url}/${path}`, {
      method: 'PUT',
      headers: {
        authorization:
          'AWS4-HMAC-SHA256 Credential=setup/20261122/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none',
      },
      ...(body !== undefined && { body }),
    })
    if (!ok) throw new Error(`not put: ${path}`)
  }
  await moto.setUp(async () => {
    await put('bills')
    for (let ago = 0; ago < months; ago += 1) {
      const now = new Date()
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago))
        .toISOString()
        .slice(0, 7)
      const root = `costs/focus/data/BILLING_PERIOD=${month}`
      await put(`bills/${root}/focus-00001.csv`, focusCsv(month, [1, 2, 3]))
      const manifest = JSON.stringify({ dataFiles: [`s3://bills/${root}/focus-00001.csv`] })
      await put(`bills/costs/focus/metadata/BILLING_PERIOD=${month}/focus-Manifest.json`, manifest)
    }
  })
}
