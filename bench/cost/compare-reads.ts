import { Agent } from 'node:http'
import type { Knex } from 'knex'
import { benchConfig } from '../config.ts'
import { median, p95, table } from '../figures.ts'
import type { BenchApi } from '../start-api.ts'
import { ask } from './ask.ts'

export type Side = { api: BenchApi; owner: Knex }

const rounds = benchConfig.rounds(15)
const maxRatio = 1.5
/**
 * Milliseconds. `swapped`: a slice of last month was replaced, and its month is not merged yet. `made`: all months are
 * merged, and the answer is made anew. `kept`: the same question once more. `unchanged`: a 304.
 */
const limits = { swapped: 100, made: 50, kept: 50, unchanged: 10 }
type Kind = keyof typeof limits
const kinds = Object.keys(limits) as Kind[]

/** What is asked, on both sides in turns, with the p95 of each kind of answer and the ratio of the medians. */
export async function compareReads(
  { small, large }: { small: Side; large: Side },
  asked: ReadonlyArray<readonly [name: string, path: string]>,
): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const rows = [
    ['p95 in ms (of the few), ratio', ...kinds.map((kind) => `${kind} ≤ ${limits[kind]}`), ''],
  ]
  let isMet = true
  for (const [name, path] of asked) {
    const times = {
      large: await measure(agent, large, path),
      small: await measure(agent, small, path),
    }
    let isOver = false
    const cells = kinds.map((kind) => {
      const [much, little] = [times.large[kind], times.small[kind]]
      const ratio = median(much) / median(little)
      isOver ||= p95(much) > limits[kind] || ratio > maxRatio
      return `${p95(much).toFixed(1)} (${p95(little).toFixed(1)}) ${ratio.toFixed(2)}`
    })
    isMet &&= !isOver
    rows.push([name, ...cells, isOver ? 'OVER' : 'ok'])
  }
  agent.destroy()
  console.log(`\n${rounds} rounds; ratio at most ${maxRatio}\n\n${table(rows)}\n`)
  return isMet
}

async function measure(
  agent: Agent,
  { api, owner }: Side,
  named: string,
): Promise<Record<Kind, number[]>> {
  const { rows } = await owner.raw(`select min(workspace_id) as id from cost_monthly`)
  const path = named.replace('<workspace>', String(rows[0].id))
  const times: Record<Kind, number[]> = { swapped: [], made: [], kept: [], unchanged: [] }
  for (let round = -2; round < rounds; round += 1) {
    await change(owner, 1)
    const swapped = await ask({ agent, api, path })
    await change(owner, -1)
    const made = await ask({ agent, api, path })
    const kept = await ask({ agent, api, path })
    const unchanged = await ask({ agent, api, path, tag: made.tag })
    const statuses = [swapped, made, kept, unchanged].map(({ status }) => status)
    if (String(statuses) !== '200,200,200,304') throw new Error(`${path}: ${String(statuses)}`)
    if (round < 0) continue
    for (const [kind, { ms }] of Object.entries({ swapped, made, kept, unchanged }))
      // The keys of this very object.
      times[kind as Kind].push(ms)
  }
  return times
}

/** What a swap of a slice of last month does to readers: other sums of that month, and another version. */
async function change(owner: Knex, by: number): Promise<void> {
  await owner.raw(
    `update billing_slices set sums_version = sums_version + ? where id = (
       select min(id) from billing_slices where is_current
         and period = date_trunc('month', now()) - interval '1 month')`,
    [by],
  )
  await owner.raw('update cost_versions set version = version + 1')
}

/** The same of the charges by PostgreSQL alone, for what the sums save. */
export async function sumCharges({ owner }: Side): Promise<void> {
  const since = performance.now()
  await owner.raw('select day, service_name, sum(effective_cost) from focus_charges group by 1, 2')
  const ms = Math.round(performance.now() - since)
  console.log(`PostgreSQL alone adds up the charges by day and service in ${ms} ms`)
}
