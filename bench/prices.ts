import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { learnPrices } from '../app/finops/learn-prices.ts'
import { Secret } from '../config.ts'
import { priceResources, type Price } from '../domain/finops/price-resources.ts'
import { testPlan } from '../domain/infrastructure/test-plan.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { asApplication } from '../test/harness/as-application.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { table } from './figures.ts'
import { seedBilledResources } from './seed-billed-resources.ts'
import { startApi } from './start-api.ts'

const resources = 100_000 * benchConfig.scale
const limitSeconds = 10
const nothing = { pipelines: 1, runs: 1, people: 1, entries: 1 }

/** Prices learned from the bill of 100,000 resources, and a plan of as many resources by those prices. */
export async function pricesSuite(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-prices-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<unknown>> = []
  try {
    const at = { databaseUrl: engines.databaseUrl, name: 'bench_prices', dataDir }
    const api = await startApi(at, nothing)
    closing.push(api.stop)
    const owner = connectOwner(new Secret(api.databaseUrl))
    closing.push(async () => owner.destroy())
    console.log(`${cpus().length} processors; filling a bill of ${resources} resources`)
    const organizationId = await seedBilledResources(owner, resources)
    const learnSeconds = await secondsOf(async () =>
      learnPrices(asApplication(owner), organizationId),
    )
    const book = await bookOf(owner)
    const planSeconds = await secondsOf(async () => pricePlan(book))
    const { rows } = await owner.raw('select count(*)::integer as n from focus_charges')
    const figures: Array<[string, number]> = [
      [
        `learned from ${rows[0].n} charges of ${resources} resources: ${book.length} prices`,
        learnSeconds,
      ],
      [`a plan of ${resources} resources`, planSeconds],
    ]
    const lines = figures.map(([name, seconds]) => [
      name,
      seconds.toFixed(2),
      String(limitSeconds),
      seconds <= limitSeconds ? 'ok' : 'OVER',
    ])
    console.log(`\n${table([['', 'seconds', 'limit', ''], ...lines])}\n`)
    return book.length > 0 && figures.every(([, seconds]) => seconds <= limitSeconds)
  } finally {
    for (const close of closing.toReversed()) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function secondsOf(work: () => Promise<unknown> | void): Promise<number> {
  const since = performance.now()
  await work()
  return (performance.now() - since) / 1_000
}

async function bookOf(owner: Knex): Promise<Price[]> {
  const { rows } = await owner.raw(`
    select id, provider, resource_type as "resourceType", match, monthly_price::text as "monthlyPrice", currency,
      source, learned ->> 'region' as region, valid_from::text as "validFrom"
    from prices where source = 'bill'`)
  return rows
}

async function pricePlan(book: readonly Price[]): Promise<void> {
  const changes = Array.from({ length: resources }, (_, n) => ({
    address: `aws_instance.a[${n}]`,
    actions: ['create'],
    after: { instance_type: `m5.${n % 50}xlarge`, region: `region-${n % 4}`, tags: { n: `${n}` } },
  }))
  const priced = priceResources(testPlan(changes), book, { currency: 'USD', at: new Date() })
  if (priced.coverage.ratio !== 1) throw new Error(`covered: ${priced.coverage.ratio}`)
}
