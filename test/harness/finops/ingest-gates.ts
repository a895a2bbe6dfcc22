import { Client } from 'pg'
import type { Harness } from '../create-harness.ts'

/** What waits at a gate: each is a trigger that only a test installs. */
const places = {
  /** A row of a bill that is copied, of which others are there. */
  copy: `before insert on focus_charges for each row when (new.resource_id = 'rack-2')`,
  /** The rows are copied and committed, and what the reader counted is noted: the attempt at the bill is not over. */
  noted: `before update on billing_slices for each row
    when (new.state = 'reading' and new.rows_read > 0 and old.rows_read = 0)`,
  /** The mark is being moved. */
  swap: `before update on billing_slices for each row when (new.is_current and not old.is_current)`,
  /** The whole transaction of the swap is done but for its commit, which PostgreSQL has begun. */
  commit: `after update on billing_slices deferrable initially deferred for each row
    when (new.is_current and not old.is_current)`,
  /** The days of a series are written. */
  score: 'before insert on anomaly_days for each row',
  /** Charges that were replaced are deleted. */
  forget: 'before delete on focus_charges for each row',
  /** The sums of a month's slices are merged. */
  merge: 'before insert on cost_daily for each row when (new.slice_id < 0)',
} as const

export type GatePlace = keyof typeof places
export type IngestGates = Awaited<ReturnType<typeof ingestGates>>

// It polls, since a lock that it waited for would run into the lock timeouts of some statements.
const gate = `
  create function ingest_gate() returns trigger language plpgsql as $$
  declare
    place constant integer := tg_argv[0]::integer;
    organization integer;
  begin
    if tg_op = 'DELETE' then organization := old.organization_id; else organization := new.organization_id; end if;
    if not pg_try_advisory_xact_lock_shared(place, organization) then
      perform pg_advisory_xact_lock_shared(100 + place, organization);
      while not pg_try_advisory_xact_lock_shared(place, organization) loop
        perform pg_sleep(0.02);
      end loop;
    end if;
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end $$`

/** Holds statements of an ingest in the database of this test file, by organization. */
export async function ingestGates(harness: Harness) {
  const client = new Client({ connectionString: harness.config.databaseUrl.reveal() })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(gate)
  const names = Object.keys(places)
  const numberOf = (place: GatePlace): number => names.indexOf(place)
  for (const [place, when] of Object.entries(places))
    await client.query(
      `create ${place === 'commit' ? 'constraint ' : ''}trigger gate_${place} ${when}
       execute function ingest_gate('${names.indexOf(place)}')`,
    )

  return {
    /** Whoever comes to the place from now on waits there. */
    async shut(place: GatePlace, organizationId: number): Promise<void> {
      await client.query('select pg_advisory_lock($1, $2)', [numberOf(place), organizationId])
    },

    async open(place: GatePlace, organizationId: number): Promise<void> {
      await client.query('select pg_advisory_unlock($1, $2)', [numberOf(place), organizationId])
    },

    async isReached(place: GatePlace, organizationId: number): Promise<boolean> {
      const { rows } = await client.query(
        `select from pg_locks where locktype = 'advisory' and classid = $1 and objid = $2
           and database = (select oid from pg_database where datname = current_database())`,
        [100 + numberOf(place), organizationId],
      )
      return rows.length > 0
    },

    close: async () => client.end(),
  }
}
