import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { cuttableLink, type CuttableLink } from '../harness/cuttable-link.ts'
import { eventually } from '../harness/eventually.ts'
import { billedStorage, type BilledStorage } from '../harness/finops/billed-storage.ts'
import { focusCsv } from '../harness/finops/focus-csv.ts'
import { foldersOfBills, ingestedRows, strayRows } from '../harness/finops/ingested-rows.ts'
import { ingestGates, type GatePlace, type IngestGates } from '../harness/finops/ingest-gates.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'
import { watchTotals, type TotalsWatch } from '../harness/finops/watch-totals.ts'

// A worker as a process of its own, whose database is behind a link. Each organization's ingest stands in another
// step when one `kill -9` hits them all; `calm` is never hit, and is what all others are held against.
const month = '2026-10'
const bills = {
  first: [10, 20, 30, 40, 50, 60],
  restated: [11, 21, 31, 41, 51, 61],
  last: [12, 22, 32, 42, 52, 62],
}
const places = ['copy', 'noted', 'swap', 'commit', 'score', 'forget'] as const
const names = ['calm', 'discover', 'fetch', 'read', ...places] as const
type Name = (typeof names)[number]

let storage: BilledStorage
let link: CuttableLink
let harness: Harness
let processes: Processes
let worker: Process
let gates: IngestGates
let watch: TotalsWatch
const owners = {} as Record<Name, TestUser>
const idOf = (name: Name): number => owners[name].organizationId
const put = (name: Name, costs: number[]) => storage.put(idOf(name), month, focusCsv(month, costs))

beforeAll(async () => {
  storage = await billedStorage()
  const env = { CC_PRIVATE_HOSTS: storage.hosts }
  harness = await createHarness({ env })
  gates = await ingestGates(harness)
  const database = new URL(harness.config.databaseUrl.reveal())
  link = await cuttableLink(database.host)
  database.host = link.address
  const ofWorker = { DATABASE_URL: database.href, CC_BILLING_SLOTS: '8' }
  processes = await processesOf(harness, { ...env, ...ofWorker })
  worker = await processes.startWorker()
  for (const name of names) {
    owners[name] = await (await harness.organization()).user('Owner')
    put(name, bills.first)
  }
  await Promise.all(names.map(async (name) => storage.connect(owners[name])))
  watch = watchTotals(names.map((name) => owners[name]))
}, 300_000)
afterAll(async () => {
  await watch?.stop()
  await processes?.close()
  await gates?.close()
  await link?.close()
  await harness?.close()
  await storage?.close()
})

/** Asks for an ingest; the answer comes after it, or after 25 seconds. */
const ask = (name: Name) => owners[name].post('/api/finops/ingest', {})
/** The ingest of this number of the organization, once it is over. */
const ended = async (name: Name, number: number) =>
  eventually(
    async () => {
      const { ingests } = (await owners[name].get('/api/finops/ingests')).json()
      const [newest] = ingests
      return ingests.length === number && newest.state !== 'running' && newest
    },
    { looks: 3_000 },
  )
const reached = async (place: GatePlace, name: Name) =>
  eventually(async () => gates.isReached(place, idOf(name)), { looks: 1_800, everyMs: 50 })

/** Waits until what was replaced is deleted too. */
const settled = async (name: Name) =>
  eventually(async () => (await strayRows(harness, idOf(name))) === 0, { looks: 1_800 })

/** Stops the sandboxed reader of a bill as soon as there is one below the worker. */
async function stopReader(): Promise<number> {
  const found = await eventually(async () => readersBelow(worker.pid)[0], {
    looks: 12_000,
    everyMs: 10,
  })
  process.kill(found, 'SIGSTOP')
  return found
}

/** All of them have what `calm` has, and no more. */
async function expectAsCalm(number: number): Promise<void> {
  for (const name of names) {
    const shown = { state: 'succeeded', recordsUpserted: 6, recordsRejected: 0 }
    expect(await ended(name, number), name).toMatchObject(shown)
    await settled(name)
  }
  const calm = await ingestedRows(harness, idOf('calm'))
  for (const name of names) expect(await ingestedRows(harness, idOf(name)), name).toEqual(calm)
  await eventually(async () => (await foldersOfBills(harness)).length === 0)
}

test('kill -9 in each step: the same rows and sums as without, and nothing is left', async () => {
  const key = put('fetch', bills.restated)
  let cuts = 1
  storage.bucket.onGet = (asked, answer) =>
    asked === key && (cuts -= 1) >= 0 ? { ...answer, cutAt: 400 } : answer
  for (const name of names) put(name, bills.restated)
  const answers = [ask('read')]
  const reader = await stopReader()

  for (const place of places) await gates.shut(place, idOf(place))
  const list = storage.hold(idOf('discover'), 'list')
  const file = storage.hold(idOf('fetch'), 'file', { past: 1 })
  answers.push(...names.filter((name) => name !== 'read').map(ask))
  await eventually(async () => list.reached() && file.reached())
  for (const place of places) await reached(place, place)
  await ended('calm', 2)
  expect(await foldersOfBills(harness)).toHaveLength(4)

  await worker.kill()
  // A stopped process is killed with its worker too.
  await eventually(async () => !isThere(reader))
  for (const place of places) await gates.open(place, idOf(place))
  for (const gate of [list, file]) gate.open()
  worker = await processes.startWorker()

  await expectAsCalm(2)
  // The next attempt had what was fetched of the file before.
  const pieces = storage.rangesOf(key)
  expect(pieces.at(-1), String(pieces)).toBeGreaterThan(0)
  for (const { statusCode } of await Promise.all(answers)) expect([200, 202]).toContain(statusCode)
}, 400_000)

test('PostgreSQL is cut off in the swap, before and in its commit: no half, and nothing twice', async () => {
  for (const name of names) put(name, bills.last)
  await gates.shut('swap', idOf('swap'))
  await gates.shut('commit', idOf('commit'))
  const answers = names.map(ask)
  for (const place of ['swap', 'commit'] as const) await reached(place, place)
  await link.cut()
  // The swap is rolled back, since nobody commits it; the commit that had begun ends well, and nobody is told.
  for (const place of ['swap', 'commit'] as const) await gates.open(place, idOf(place))
  await link.mend()

  await expectAsCalm(3)
  for (const { statusCode } of await Promise.all(answers)) expect([200, 202]).toContain(statusCode)
}, 400_000)

test('four requests at once while one runs: one ingest, which looks at the bills once more', async () => {
  const before = storage.looksAt(idOf('calm'))
  const gate = storage.hold(idOf('calm'), 'list')
  const first = ask('calm')
  await eventually(async () => gate.reached())
  const others = [ask('calm'), ask('calm'), ask('calm'), ask('calm')]
  await eventually(async () => {
    const requested = await harness.deps.store
      .platform('audit_entries')
      .where({ organizationId: idOf('calm'), event: 'finops.ingest_requested' })
      .whereRaw(`detail @> '{"joined": true}'`)
      .select('id')
    return requested.length === 4
  })
  gate.open()
  const answers = await Promise.all([first, ...others])
  const shown = answers.map((answer) => answer.json().ingest)
  expect(new Set(shown.map(({ id }) => id)).size).toBe(1)
  for (const { statusCode } of answers) expect(statusCode).toBe(200)
  for (const ingest of shown)
    expect(ingest).toMatchObject({ state: 'succeeded', recordsUpserted: 0 })
  expect(storage.looksAt(idOf('calm')) - before).toBe(2)
  const live = harness.deps.store.platform('billing_ingests').where({ lookAgain: true })
  expect(await live.select('id')).toEqual([])
}, 120_000)

test('nobody was ever shown a half of a bill', async () => {
  await watch.stop()
  const sum = (costs: number[]) => costs.reduce((total, cost) => total + cost, 0)
  const totals = [bills.first, bills.restated, bills.last].map(sum)
  for (const name of names) expect(watch.of(owners[name]), name).toEqual(totals)
})

const isThere = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** The programs below a worker that read a bill in its sandbox. */
function readersBelow(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map<number, { parent: number; line: string }>()
  for (const name of all)
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      parents.set(Number(name), { parent, line: readFileSync(`/proc/${name}/cmdline`, 'utf8') })
    } catch {
      // It has ended.
    }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one)?.parent
    return parent !== undefined && (parent === pid || isBelow(parent))
  }
  return [...parents]
    .filter(([one, { line }]) => /^[^\0]*node\0.*program\/main\.ts/.test(line) && isBelow(one))
    .map(([one]) => one)
}
