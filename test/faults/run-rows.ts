import { Client } from 'pg'
import { expect } from 'vitest'
import type { RunPhase } from '../../domain/runs/run-state.ts'
import type { Harness } from '../harness/create-harness.ts'
import { lookUntil } from '../harness/eventually.ts'

/**
 * A run as the store has it. Fault tests read the store, because the API may be the killed part.
 */
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
 * The limit of polls: two minutes, longer than any time limit that the product promises. Polls are
 * counted, so the limit grows when each poll takes longer on a busy machine. Promised times are
 * checked with the timestamps of the row.
 */
export const patientLooks = 2_400
const everyMs = 50

export async function rowOf(harness: Harness, workspaceRunId: number): Promise<RunRow> {
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
    [workspaceRunId],
  )
  return rows[0]
}

export const isTerminalRow = ({ phase }: RunRow): boolean =>
  phase === 'succeeded' || phase === 'failed' || phase === 'canceled'

/** Polls until `when` accepts the run's row. Polls on while the database is unreachable. */
export async function rowUntil(
  harness: Harness,
  workspaceRunId: number,
  { when, looks = patientLooks }: { when: (row: RunRow) => boolean; looks?: number },
): Promise<RunRow> {
  let row: RunRow | undefined
  const look = async () => {
    row = await rowOf(harness, workspaceRunId).catch(() => undefined)
    return row && when(row) && row
  }
  const found = await lookUntil(look, { looks, everyMs })
  if (!found) throw new Error(`run ${workspaceRunId} is still ${JSON.stringify(row)}`)
  return found
}

/** Polls for a condition outside the store. */
export async function until(what: string, when: () => boolean | Promise<boolean>) {
  const looks = patientLooks * 2
  if (!(await lookUntil(async () => when(), { looks, everyMs: everyMs / 2 })))
    throw new Error(`not seen in ${looks} looks: ${what}`)
}

/** Locks, tokens and attempts end with their run (docs/runs.md, "What may never happen"). */
export function expectNothingHeld(row: RunRow): void {
  expect({ locks: row.locks, liveTokens: row.liveTokens }, `run ${row.id}`).toEqual({
    locks: 0,
    liveTokens: 0,
  })
  if (row.attempts > 0) expect(row.attemptEndedAt).not.toBeNull()
}

/** Locks rows or a table in a separate session, so that a run blocks at exactly that statement. */
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

/** Waits until a session of this database waits for a lock that another one holds. */
export async function waitsForLock(harness: Harness): Promise<void> {
  await until('a session waits for a lock', async () => {
    const { rows } = await harness.deps.store.platform.raw(
      `select from pg_locks w where not w.granted and exists (select from pg_locks g
         join pg_database d on d.oid = g.database where g.pid = w.pid and d.datname = current_database())`,
    )
    return rows.length > 0
  })
}
