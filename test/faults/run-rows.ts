import { Client } from 'pg'
import { expect } from 'vitest'
import type { RunPhase } from '../../domain/pipelines/run-state.ts'
import type { Harness } from '../harness/create-harness.ts'
import { lookUntil } from '../harness/eventually.ts'

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
 * How often a test looks for what must come: for two minutes, longer than any promise of the
 * product's, and for longer where each look takes longer, on two cores that also compile and plan
 * for other files. What is promised in time is judged by the row's own times.
 */
export const patientLooks = 2_400
const everyMs = 50

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
  { when, looks = patientLooks }: { when: (row: RunRow) => boolean; looks?: number },
): Promise<RunRow> {
  let row: RunRow | undefined
  const look = async () => {
    row = await rowOf(harness, runId).catch(() => undefined)
    return row && when(row) && row
  }
  const found = await lookUntil(look, { looks, everyMs })
  if (!found) throw new Error(`run ${runId} is still ${JSON.stringify(row)}`)
  return found
}

/** Waits for something that the store does not tell of. */
export async function until(what: string, when: () => boolean | Promise<boolean>) {
  const looks = patientLooks * 2
  if (!(await lookUntil(async () => when(), { looks, everyMs: everyMs / 2 })))
    throw new Error(`not seen in ${looks} looks: ${what}`)
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
