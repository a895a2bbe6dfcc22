import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect } from 'vitest'
import type { RunPhase } from '../../domain/pipelines/run-state.ts'
import type { Harness } from '../harness/create-harness.ts'

/** What a fault test looks at, in the store itself: an answer of the API would be one more part that may be away. */
export type RunRow = {
  id: number
  phase: RunPhase
  reason: string | null
  message: string | null
  found: { savedStateSerial: number | null } | null
  endedAt: Date | null
  needsRefresh: boolean
  spawnedAt: Date | null
  attemptEndedAt: Date | null
  attempts: number
  lockedBy: number | null
  locks: number
  finalized: number
  quarantined: number
  liveTokens: number
}

/**
 * How long a test waits for what must come. Longer than any promise of the product's: on two
 * cores that also compile and plan for other files a wait is no measurement. What is promised
 * in time is judged by the row's own times.
 */
const patienceMs = 120_000

export async function rowOf(harness: Harness, runId: number): Promise<RunRow> {
  const { rows } = await harness.deps.store.platform.raw(
    `select r.id, r.phase, r.reason, r.message, r.found, r.ended_at as "endedAt",
       w.needs_refresh as "needsRefresh", a.spawned_at as "spawnedAt", a.ended_at as "attemptEndedAt",
       (select count(*)::int from apply_attempts x where x.workspace_run_id = r.id) as attempts,
       (select l.workspace_run_id from workspace_locks l where l.workspace_id = w.id) as "lockedBy",
       (select count(*)::int from workspace_locks l where l.workspace_id = w.id) as locks,
       (select count(*)::int from state_versions s where s.workspace_run_id = r.id and s.status = 'finalized') as finalized,
       (select count(*)::int from state_versions s where s.workspace_run_id = r.id and s.status = 'quarantined') as quarantined,
       (select count(*)::int from tokens t where t.workspace_run_id = r.id and t.revoked_at is null) as "liveTokens"
     from workspace_runs r join workspaces w on w.id = r.workspace_id
       left join apply_attempts a on a.workspace_run_id = r.id
     where r.id = ?`,
    [runId],
  )
  return rows[0]
}

export const isTerminalRow = ({ phase }: RunRow): boolean =>
  phase === 'succeeded' || phase === 'failed' || phase === 'canceled'

/** Looks until the run's row is as `when` wants it; a database that is away is looked at again. */
export async function rowUntil(
  harness: Harness,
  runId: number,
  { when, timeoutMs = patienceMs }: { when: (row: RunRow) => boolean; timeoutMs?: number },
): Promise<RunRow> {
  let row: RunRow | undefined
  // At least one look, however late it is.
  for (const deadline = Date.now() + timeoutMs; ;) {
    row = await rowOf(harness, runId).catch(() => undefined)
    if (row && when(row)) return row
    if (Date.now() > deadline) break
    await sleep(50)
  }
  throw new Error(`run ${runId} is still ${JSON.stringify(row)}`)
}

/** Waits for something that the store does not tell of. */
export async function until(what: string, when: () => boolean | Promise<boolean>, ms = patienceMs) {
  for (const deadline = Date.now() + ms; !(await when());) {
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`)
    await sleep(25)
  }
}

/** No lock, token or attempt outlives its run (docs/runs.md, "What may never happen"). */
export function expectNothingHeld(row: RunRow): void {
  expect({ locks: row.locks, liveTokens: row.liveTokens }, `run ${row.id}`).toEqual({
    locks: 0,
    liveTokens: 0,
  })
  if (row.attempts > 0) expect(row.attemptEndedAt).not.toBeNull()
}

/** Holds rows or a table from a session of its own, so that a run stops at exactly that place. */
export async function hold(harness: Harness, sql: string): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString: harness.config.databaseUrl.reveal() })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  await client.query(sql)
  return {
    async release() {
      await client.query('rollback').catch(() => undefined)
      await client.end().catch(() => undefined)
    },
  }
}
