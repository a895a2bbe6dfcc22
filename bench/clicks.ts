import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { Secret } from '../config.ts'
import { buildConsole } from '../scripts/start/build-console.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { charge, storeCharges } from '../test/harness/cost-rows.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import {
  measureInteraction,
  measureMoves,
  watchEvents,
  type Interaction,
} from './clicks/measure-in-page.ts'
import { benchConfig } from './config.ts'
import { median, table } from './figures.ts'
import { startApi, type BenchApi } from './start-api.ts'

const rounds = benchConfig.rounds(10)
const limitMs = 100
const days = 365
const services = 50
const nothing = { pipelines: 1, runs: 1, people: 1, entries: 1 }

const dayMs = 86_400_000
const day = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10)
const year = `from=${day(days - 1)}&to=${day(0)}`

type Act = {
  name: string
  ready: (page: Page, round: number) => Promise<void>
  act: (page: Page, round: number) => Promise<void>
  /** An expression in the page that is true once the answer is on it. */
  shown: (round: number) => string
}

const groups = ['provider', 'service', 'account', 'subAccount', 'region', 'workspace', 'tag']
const titles = [
  'service',
  'account',
  'sub-account',
  'region',
  'workspace',
  'tag',
  'charge category',
]
const at = <T>(list: readonly T[], round: number): T | undefined => list[round % list.length]

const acts: readonly Act[] = [
  {
    name: 'click a service in the table',
    ready: async (page, round) => open(page, round, 'service'),
    act: async (page, round) =>
      page
        .locator('[aria-label="Cost by service"] tbody a')
        .nth(round % 8)
        .click(),
    shown: () => `document.querySelector('[aria-label="Cost by region"]') !== null`,
  },
  {
    name: 'click a day in the chart',
    ready: async (page, round) => open(page, round, 'service'),
    act: async (page, round) =>
      chart(page).click({ position: { x: 120 + 60 * (round % 10), y: 150 } }),
    shown: () =>
      `/from (.+) to \\1\\./.test(document.querySelector('.cost-chart svg')?.getAttribute('aria-label'))`,
  },
  {
    name: 'group by another dimension',
    ready: async (page, round) => {
      await open(page, round, at(groups, round) ?? '')
      await page.getByLabel('By', { exact: true }).focus()
    },
    act: async (page) => page.keyboard.press('ArrowDown'),
    shown: (round) =>
      `document.querySelector('[aria-label="Cost by ${at(titles, round)}"]') !== null`,
  },
]

const chart = (page: Page) => page.getByRole('img', { name: /^Spend by day/ })

/** Every eight rounds on another basis, so that no answer is one that the page has already. */
async function open(page: Page, round: number, groupBy: string): Promise<void> {
  const basis = at(['effective', 'billed', 'list'], Math.floor(round / 7))
  await page.goto(`/cost?${year}&groupBy=${groupBy}&basis=${basis}`)
  await chart(page).waitFor()
  await page.getByText('…', { exact: true }).waitFor({ state: 'detached' })
  await page.waitForTimeout(300)
}

/** How fast the page of cost answers with a year of 50 services: clicks, keys, and moves over the chart. */
export async function clicksSuite(): Promise<boolean> {
  const root = join(import.meta.dirname, '..')
  const { signal } = new AbortController()
  await buildConsole({ root, say: console.log, signal })
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-clicks-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<unknown>> = []
  try {
    const place = { databaseUrl: engines.databaseUrl, name: 'bench_clicks', dataDir }
    const api = await startApi(place, nothing)
    closing.push(api.stop)
    await seedYear(api)
    const browser = await chromium.launch({
      executablePath: benchConfig.chromium,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
    closing.push(async () => browser.close())
    const context = await browser.newContext({
      baseURL: api.address,
      viewport: { width: 1440, height: 900 },
    })
    const [name = '', value = ''] = api.cookie.split('=')
    await context.addCookies([{ name, value, url: api.address }])
    const page = await context.newPage()
    await watchEvents(page)
    return await measure(page)
  } finally {
    for (const close of closing.toReversed()) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measure(page: Page): Promise<boolean> {
  const rows = [['', 'next paint', 'worst', 'answer shown', 'worst']]
  let isMet = true
  for (const { name, ready, act, shown } of acts) {
    const times: Interaction[] = []
    for (let round = -1; round < rounds; round += 1) {
      await ready(page, round + 1)
      const one = await measureInteraction(page, async () => act(page, round + 1), shown(round + 1))
      if (round >= 0) times.push(one)
    }
    const next = times.map((one) => one.next)
    const answered = times.map((one) => one.answered)
    isMet &&= Math.max(...next) <= limitMs && median(answered) <= limitMs
    rows.push([
      name,
      ...inMs([median(next), Math.max(...next)]),
      ...inMs([median(answered), Math.max(...answered)]),
    ])
  }
  await open(page, 0, 'service')
  const box = await chart(page).boundingBox()
  if (!box) throw new Error('the chart is not shown')
  const places = Array.from({ length: rounds }, (_, n) => ({
    x: box.x + 100 + n * 70,
    y: box.y + 120,
  }))
  const moves = await measureMoves(page, places)
  isMet &&= Math.max(...moves) <= limitMs
  rows.push(['move over the chart', ...inMs([median(moves), Math.max(...moves)]), '', ''])
  const nodes = await page.evaluate<number>(`document.querySelectorAll('*').length`)
  console.log(
    `${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, ${rounds} rounds, ${days} days × ${services} services, ${nodes} elements; at most ${limitMs} ms`,
  )
  console.log(`\n${table(rows)}\n`)
  return isMet
}

const inMs = (values: readonly number[]) => values.map((value) => `${Math.round(value)} ms`)

async function seedYear({ databaseUrl }: BenchApi): Promise<void> {
  const owner = connectOwner(new Secret(databaseUrl))
  const { id } = await owner('organizations').first('id')
  const charges = Array.from({ length: days }, (_, ago) =>
    Array.from({ length: services }, (__, n) =>
      charge({
        day: day(ago),
        service: `Service ${n}`,
        provider: ['aws', 'azure', 'gcp'][n % 3] ?? 'aws',
        source: `account-${n % 10}`,
        subAccount: `sub-${n % 12}`,
        region: `region-${n % 9}`,
        effective: (((n * 7) % services) + 1 + ((ago * 13 + n) % 7)).toFixed(2),
        tags: { team: `team-${n % 11}` },
      }),
    ),
  ).flat()
  await storeCharges(owner, id, charges)
  await owner.raw('vacuum analyze')
  await owner.destroy()
}
