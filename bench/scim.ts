import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../config.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { cpuSince, cpuTime } from './cpu-time.ts'
import { median, p95, table } from './figures.ts'
import { firstSync } from './first-sync.ts'
import { scimPerson } from './scim-person.ts'
import { seedLargeGroup } from './seed-large-group.ts'
import { SocketClient } from './socket-client.ts'
import { startApi, startBare, type BenchApi } from './start-api.ts'

const rounds = benchConfig.rounds(9)
const forMs = benchConfig.forMs(2_000)
/** The limits are set for 1; 0.02 makes a quick run. */
const scale = benchConfig.scale
const connections = 8
const base = '/api/scim/v2'

/** The limits in time and ratio. Entra ID needs 25 requests a second (docs/identity.md). */
const limits = { createRatio: 0.6, memberMs: 15, lookUpRatio: 1.2, syncPerSecond: 25, syncMb: 400 }

type Line = { what: string; value: number; limit: string; pass: boolean }
type Subject = BenchApi & { token: string }

/**
 * Measures the requests of identity providers: creations beside a bare handler, changes of one
 * member of a large group, look-ups in a large organization, and a first sync. Compared requests
 * alternate, so that other load on the machine affects all of them.
 */
export async function scimSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-scim-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<void>> = []
  try {
    const start = async (name: string, people: number): Promise<Subject> => {
      const at = { databaseUrl: engines.databaseUrl, name, dataDir }
      const api = await startApi(at, { pipelines: 1, runs: 0, entries: 0, people })
      closing.push(api.stop)
      const url = new URL(engines.databaseUrl)
      url.pathname = `/${name}`
      const owner = connectOwner(new Secret(url.href))
      await seedLargeGroup(owner)
      await owner.destroy()
      return { ...api, token: await newToken(api) }
    }
    console.log('filling two stores')
    const few = await start('bench_few', 1_000)
    const many = await start('bench_many', Math.max(2_000, 100_000 * scale))
    const bare = await startBare(engines.databaseUrl, 'bench_few')
    closing.push(bare.stop)

    const lines = [
      // Runs first, because later suites add people to the organization of a thousand.
      ...(await lookUps(few, many)),
      ...(await oneMember(many)),
      ...(await creations(few, bare)),
      ...(await sync(few)),
    ]
    const rows = lines.map(({ what, value, limit, pass }) => [
      what,
      value.toFixed(2),
      limit,
      limit === '' ? '' : pass ? 'PASS' : 'FAIL',
    ])
    console.log(`\n${table([['what', 'measured', 'limit', ''], ...rows])}`)
    return lines.every(({ pass }) => pass)
  } finally {
    for (const close of closing.toReversed()) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const figure = (what: string, value: number): Line => ({ what, value, limit: '', pass: true })
const atLeast = (what: string, value: number, limit: number): Line => ({
  what,
  value,
  limit: `>= ${limit}`,
  pass: value >= limit,
})
const atMost = (what: string, value: number, limit: number): Line => ({
  what,
  value,
  limit: `<= ${limit}`,
  pass: value <= limit,
})

export async function newToken({ address, cookie }: BenchApi): Promise<string> {
  const client = await SocketClient.open(address, { cookie, origin: address })
  const answer = await client.ask('POST', '/api/org/scim', { name: 'bench' })
  client.close()
  return JSON.parse(expectStatus(answer, 201).body).token
}

const open = async ({ address, token }: Subject) =>
  SocketClient.open(address, { authorization: `Bearer ${token}` })

function expectStatus<T extends { status: number; body: string }>(answer: T, status: number): T {
  if (answer.status === status) return answer
  throw new Error(`${answer.status}, not ${status}: ${answer.body.slice(0, 300)}`)
}

async function creations(api: Subject, bare: BenchApi): Promise<Line[]> {
  console.log('creating people')
  const subjects = {
    bare: { api: { ...bare, token: '' }, path: '/users', perSecond: [] as number[] },
    scim: { api, path: `${base}/Users`, perSecond: [] as number[] },
  }
  // The first round warms up compilers, query plans and caches.
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, subject] of Object.entries(subjects)) {
      const perSecond = await createFor(subject.api, subject.path, `${name}-${round}`)
      if (round > 0) subject.perSecond.push(perSecond)
    }
  const ratio = median(
    subjects.scim.perSecond.map((value, round) => value / (subjects.bare.perSecond[round] ?? 1)),
  )
  return [
    figure('bare Fastify and pg: creations/s', median(subjects.bare.perSecond)),
    figure('POST /Users: creations/s', median(subjects.scim.perSecond)),
    atLeast('POST /Users beside bare', ratio, limits.createRatio),
  ]
}

/** Creations per second. */
async function createFor(api: Subject, path: string, prefix: string): Promise<number> {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(api)))
  const began = performance.now()
  let made = 0
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - began < forMs) {
        made += 1
        expectStatus(await client.ask('POST', path, scimPerson(`${prefix}-${made}`)), 201)
      }
      client.close()
    }),
  )
  return made / ((performance.now() - began) / 1_000)
}

async function oneMember(api: Subject): Promise<Line[]> {
  console.log('one member of a large group')
  const client = await open(api)
  const find = async (kind: string, filter: string): Promise<string> => {
    const path = `${base}/${kind}?attributes=id&filter=${encodeURIComponent(filter)}`
    return JSON.parse(expectStatus(await client.ask('GET', path), 200).body).Resources[0].id
  }
  const joiner = await find('Users', 'userName eq "joiner@bench.example"')
  const groups = {
    large: await find('Groups', 'displayName eq "large"'),
    small: await find('Groups', 'displayName eq "small"'),
  }
  const took: Record<string, number[]> = {}
  const turns = rounds * 25
  let before = cpuTime({ api: api.pid })
  for (let turn = -25; turn < turns; turn += 1) {
    if (turn === 0) before = cpuTime({ api: api.pid })
    for (const [name, id] of Object.entries(groups))
      for (const op of ['add', 'remove']) {
        const value = [{ value: joiner }]
        const body = { Operations: [{ op, path: 'members', value }] }
        const path = `${base}/Groups/${id}?excludedAttributes=members`
        const { tookMs } = expectStatus(await client.ask('PATCH', path, body), 200)
        if (turn >= 0) (took[`${op} ${name}`] ??= []).push(tookMs)
      }
  }
  const { api: cpuSeconds = 0 } = cpuSince(before, cpuTime({ api: api.pid }))
  client.close()
  const changes = turns * 4
  const lines = ['add', 'remove'].flatMap((op) => [
    figure(`${op} one member of ten: p95 ms`, p95(took[`${op} small`] ?? [])),
    atMost(
      `${op} one member of ${100_000 * scale}: p95 ms`,
      p95(took[`${op} large`] ?? []),
      limits.memberMs,
    ),
  ])
  // CPU time does not include other load on the machine.
  return [
    ...lines,
    figure('a change of members: CPU ms of the API', (cpuSeconds * 1_000) / changes),
  ]
}

async function lookUps(few: Subject, many: Subject): Promise<Line[]> {
  console.log('look-ups')
  const filters = {
    userName: 'userName eq "PERSON777@bench.example"',
    externalId: 'externalId eq "ext-777"',
    'emails.value': 'emails[type eq "work"].value eq "person778@bench.example"',
    'nobody’s userName': 'userName eq "nobody"',
  }
  const [small, large] = [await open(few), await open(many)]
  const lines: Line[] = []
  for (const [name, filter] of Object.entries(filters)) {
    const path = `${base}/Users?filter=${encodeURIComponent(filter)}`
    const took = { small: [] as number[], large: [] as number[] }
    for (let turn = -50; turn < rounds * 50; turn += 1)
      for (const [size, client] of [
        ['small', small],
        ['large', large],
      ] as const) {
        const { tookMs } = expectStatus(await client.ask('GET', path), 200)
        if (turn >= 0) took[size].push(tookMs)
      }
    const [at1000, atMany] = [median(took.small), median(took.large)]
    lines.push(figure(`filter on ${name}, 1,000 people: p50 ms`, at1000))
    lines.push(atMost(`… ${100_000 * scale} beside 1,000`, atMany / at1000, limits.lookUpRatio))
  }
  small.close()
  large.close()
  return lines
}

async function sync(api: Subject): Promise<Line[]> {
  const [people, groups] = [20_000 * scale, 2_000 * scale]
  console.log(`a first sync of ${people} people and ${groups} groups of 50`)
  const clients = await Promise.all(Array.from({ length: connections }, () => open(api)))
  forgetPeak(api.pid)
  const result = await firstSync(clients, { base, people, groups, size: 50 })
  for (const client of clients) client.close()
  return [
    figure('first sync: seconds', result.seconds),
    atLeast('first sync: requests/s', result.perSecond, limits.syncPerSecond),
    figure('first sync: p95 ms', result.p95Ms),
    atMost('first sync: failures', result.failures, 0),
    atMost('first sync: missing afterwards', result.missing, 0),
    atMost('first sync: peak memory of the API, MB', peakMemory(api.pid), limits.syncMb),
  ]
}

/**
 * Resets the peak (proc(5): writing 5 resets VmHWM), because the start and earlier requests have
 * higher ones.
 */
const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

const peakMemory = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
