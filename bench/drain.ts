import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSince, cpuTime, type CpuTime } from './cpu-time.ts'
import type { Platform } from './start-platform.ts'
import { makeWorkspace } from './workspaces.ts'

export type Drained = {
  runs: number
  workspaces: number
  tookMs: number
  postMs: number[]
  cpu: CpuTime
  /** Violations of the invariants. Empty if there are none. */
  faults: string[]
}

const workspaceCount = 50
const runsEach = 4
const callers = 8
/** Time for process 1 of the machine to reap ended processes, whose CPU time counts only then. */
const reapedWithinMs = 3_000

/** Starts 200 runs with changes in 50 workspaces and waits for all of them to end. */
export async function drain(platform: Platform, say: (line: string) => void): Promise<Drained> {
  const { call, store } = platform
  const db = store.platform
  const ids: number[] = []
  for (let at = 1; at <= workspaceCount; at += 1) ids.push(await makeWorkspace(call, `drain-${at}`))

  await sleep(reapedWithinMs)
  const before = cpuTime(platform.pids())
  const since = performance.now()
  const waiting = Array.from({ length: runsEach }, (_, round) => ids.map((id) => ({ id, round })))
  const queue = waiting.flat()
  const postMs: number[] = []
  const post = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const vars = { word: `round-${next.round}` }
      postMs.push((await call('POST', `/workspaces/${next.id}/apply`, { vars })).tookMs)
    }
  }
  await Promise.all(Array.from({ length: callers }, post))

  const giveUpAt = Date.now() + 15 * 60_000
  for (let turn = 0; ; turn += 1) {
    const [row] = await db('workspace_runs')
      .whereIn('workspace_id', ids)
      .whereNull('ended_at')
      .count()
    const left = Number(row?.['count'])
    if (left === 0) break
    if (Date.now() > giveUpAt) break
    if (turn % 100 === 99) say(`drain: ${left} runs are left`)
    await sleep(100)
  }
  const tookMs = performance.now() - since
  const after = cpuTime(platform.pids())
  await sleep(reapedWithinMs)
  after['steps'] = cpuTime(platform.pids())['steps'] ?? 0
  const faults = await findFaults(platform, ids)
  return {
    runs: ids.length * runsEach,
    workspaces: ids.length,
    tookMs,
    postMs,
    cpu: cpuSince(before, after),
    faults,
  }
}

/** Checks in the store what may never happen to a run (docs/runs.md). */
async function findFaults({ store }: Platform, ids: readonly number[]): Promise<string[]> {
  const list = [...ids]
  const questions: Record<string, string> = {
    'runs that did not succeed': `select count(*) from workspace_runs
      where workspace_id = any(:list) and phase <> 'succeeded'`,
    'workspaces with another number of runs': `select count(*) from (
      select w.id from unnest(:list::int[]) w(id) left join workspace_runs r on r.workspace_id = w.id
      group by w.id having count(r.id) <> :runsEach) t`,
    'pipelines whose numbers have holes or twins': `select count(*) from (
      select p.pipeline_id from pipeline_runs p join workspace_runs r on r.id = p.workspace_run_id
      where r.workspace_id = any(:list) group by p.pipeline_id
      having max(p.number) <> count(*) or count(distinct p.number) <> count(*)) t`,
    'runs that were not applied exactly once': `select count(*) from workspace_runs r
      where r.workspace_id = any(:list)
        and (select count(*) from apply_attempts a where a.workspace_run_id = r.id) <> 1`,
    'runs without exactly one state serial': `select count(*) from workspace_runs r
      where r.workspace_id = any(:list)
        and (select count(distinct v.serial) from state_versions v
             where v.workspace_run_id = r.id and v.status <> 'quarantined') <> 1`,
    'serials that two runs wrote': `select count(*) from (
      select workspace_id from state_versions where workspace_id = any(:list)
      group by workspace_id, generation, serial having count(*) > 1) t`,
    'locks that are left': `select count(*) from workspace_locks where workspace_id = any(:list)`,
    'messages the engine was not told': `select count(*) from outbox where done_at is null`,
  }
  const faults: string[] = []
  for (const [what, sql] of Object.entries(questions)) {
    const { rows } = await store.platform.raw(sql, { list, runsEach })
    const count = Number(rows[0]?.count)
    if (count > 0) faults.push(`${count} ${what}`)
  }
  return faults
}
