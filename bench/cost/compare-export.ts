import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { Client } from 'pg'
import { to } from 'pg-copy-streams'
import { benchConfig } from '../config.ts'
import { median } from '../figures.ts'
import { ask, linesIn } from './ask.ts'
import { lastMonth } from './asked-of-cost.ts'
import type { Side } from './compare-reads.ts'

const rounds = Math.min(5, benchConfig.rounds(5))
const minShare = 0.7
const maxGrowthMebibytes = 64

type Speed = { rows: number; bytes: number }

/** The export of a month by HTTP beside COPY TO of all columns of the same charges by the driver alone, in turns. */
export async function compareExport({ api }: Pick<Side, 'api'>): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const path = `/finops/export?from=${lastMonth.from}&to=${lastMonth.to}`
  const bare: Speed[] = []
  const http: Speed[] = []
  const started = residentMebibytes(api.pid)
  const peaks: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    const alone = await copyAlone(api.databaseUrl)
    const memory = watch(api.pid)
    const { status, lines, bytes, ms } = await ask({ agent, api, path })
    peaks.push(memory())
    if (status !== 200 || lines !== alone.lines)
      throw new Error(`${path}: ${status}, ${lines} lines where COPY has ${alone.lines}`)
    if (round < 0) continue
    bare.push({ rows: alone.lines / alone.ms, bytes: alone.bytes / alone.ms })
    http.push({ rows: lines / ms, bytes: bytes / ms })
  }
  agent.destroy()
  const of = (speeds: Speed[], name: keyof Speed) => median(speeds.map((speed) => speed[name]))
  const said = (speeds: Speed[]) =>
    `${Math.round(of(speeds, 'rows') * 1_000)} rows/s, ${(of(speeds, 'bytes') / 1_000).toFixed(1)} MB/s`
  const share = of(http, 'rows') / of(bare, 'rows')
  const growth = Math.max(...peaks) - started
  console.log(
    `export: ${said(http)}; COPY TO by the driver alone: ${said(bare)}; ${share.toFixed(2)} of its rows (at least ${minShare})`,
  )
  console.log(
    `memory of the API: ${started} MiB before, at most ${peaks.join(', ')} MiB in each export (at most ${maxGrowthMebibytes} MiB more)`,
  )
  return share >= minShare && growth <= maxGrowthMebibytes
}

async function copyAlone(databaseUrl: string) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const since = performance.now()
  let [bytes, lines] = [0, 0]
  const copy = to(
    `copy (select * from focus_charges where period = '${lastMonth.from}') to stdout (format csv, header)`,
  )
  for await (const chunk of client.query(copy)) {
    // The stream gives buffers.
    const read = chunk as Buffer
    bytes += read.length
    lines += linesIn(read)
  }
  const ms = performance.now() - since
  await client.end()
  return { bytes, lines, ms }
}

/** Answers the most that the process had meanwhile. */
function watch(pid: number): () => number {
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, residentMebibytes(pid))), 50)
  return () => {
    clearInterval(timer)
    return most
  }
}

const residentMebibytes = (pid: number): number => {
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(resident ?? 0) / 1_024)
}
