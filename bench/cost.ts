import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../config.ts'
import { connectOwner, connectStore } from '../store/driver/connect.ts'
import { startTestEngines } from '../test/setup/engines.ts'
import { benchConfig } from './config.ts'
import { compareExport } from './cost/compare-export.ts'
import { compareReads, sumCharges, type Side } from './cost/compare-reads.ts'
import { askedOfCost } from './cost/asked-of-cost.ts'
import { seedCost } from './seed-cost.ts'
import { startApi } from './start-api.ts'

const few = 100_000
const many = 10_000_000 * benchConfig.scale
const nothing = { pipelines: 1, runs: 1, people: 1, entries: 1 }

/**
 * Payload and series of a year of 10,000,000 charges beside 100,000, and the export beside COPY alone. BENCH_ONLY runs
 * the reads whose names have this text; `export` and `reads` are those sections.
 */
export async function costSuite(): Promise<boolean> {
  const { only = '' } = benchConfig
  const asked = Object.entries(askedOfCost).filter(
    ([name]) => only === 'reads' || name.includes(only),
  )
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-cost-'))
  const engines = await startTestEngines({ temporal: false })
  const closing: Array<() => Promise<unknown>> = []
  try {
    const start = async (name: string, charges: number): Promise<Side> => {
      const since = performance.now()
      const api = await startApi({ databaseUrl: engines.databaseUrl, name, dataDir }, nothing)
      closing.push(api.stop)
      const owner = connectOwner(new Secret(api.databaseUrl))
      const store = connectStore(api.logins, 4)
      closing.push(async () => Promise.all([owner.destroy(), store.close()]))
      await seedCost({ owner, store }, charges)
      const { rows } = await owner.raw(`select (select count(*) from focus_charges) as charges,
        (select count(*) from cost_daily where slice_id > 0) as sums,
        (select count(*) from cost_daily where slice_id < 0) as merged`)
      const took = Math.round((performance.now() - since) / 1_000)
      console.log(
        `${rows[0].charges} charges, ${rows[0].sums} sums by day, ${rows[0].merged} merged, in ${took} s`,
      )
      return { api, owner }
    }
    console.log(`${cpus().length} processors`)
    const large = await start('bench_many', many)
    let isMet = true
    if (asked.length > 0) {
      const small = await start('bench_few', few)
      isMet = await compareReads({ small, large }, asked)
      await sumCharges(large)
    }
    if ('export'.includes(only)) isMet = (await compareExport(large)) && isMet
    return isMet
  } finally {
    for (const close of closing.toReversed()) await close()
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
