import type { Store } from '../driver/connect.ts'
import { askNamed, askPrepared } from '../driver/ask-prepared.ts'
import type { PreparedQuery, Value } from '../driver/kept-query.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
/** `host`: of a deployment, the host that printed it. */
export type LogLine = { seq: number; level: LogLevel; line: string; host?: string }
/** Without `maxBytes`: `maxLogBytes`. */
export type LogPage = { after: number; limit: number; maxBytes?: number }
export type NewLogLine = { level: LogLevel; line: string; host?: string }

type Appended = { lastSeq: number }

/** Under the stage's own row lock, so that two writers never share a number. */
const appending = (
  organizationId: number,
  stageId: number,
  lines: readonly NewLogLine[],
): PreparedQuery<Value> => ({
  name: 'append-log-lines',
  text: `with stage as (
      update stages set last_seq = last_seq + $3::integer, log_bytes = log_bytes + $4::integer
      where organization_id = $1 and id = $2 returning id, created_month, last_seq),
    stored as (
      insert into log_lines (organization_id, stage_id, month, seq, level, line, host)
      select $1, stage.id, stage.created_month, stage.last_seq - $3::integer + l.position, l.level, l.line,
        nullif(l.host, '')
      from stage, unnest($5::text[], $6::text[], $7::text[]) with ordinality as l(level, line, host, position))
    select last_seq as "lastSeq", pg_notify('cc_log', id::text) from stage`,
  values: [
    organizationId,
    stageId,
    lines.length,
    lines.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0),
    lines.map(({ level }) => level),
    lines.map(({ line }) => line),
    lines.map(({ host }) => host ?? ''),
  ],
})

/** Appends a batch in a transaction of its own. */
export async function appendLines(
  store: Pick<Store, 'write'>,
  organizationId: number,
  { stageId, lines }: { stageId: number; lines: readonly NewLogLine[] },
): Promise<void> {
  await store.write(organizationId, appending(organizationId, stageId, lines))
}

/** Each is the condition of an index (migrations/0140), which has to be written as it is there. */
const chosen = {
  problems: `level in ('warn', 'error')`,
  outcomes: `line ~ ': (Creation|Modifications|Destruction) (complete|errored) after [0-9]'`,
}

/** The log of each stage: `seq` from 1, without holes. */
export function logLines(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const select = async (which: keyof typeof chosen, of: { stageId: number; limit: number }) => {
    const query = db.raw(
      `select seq, level, line from (
         select seq, level, line, sum(octet_length(line) + :lineBytes) over (order by seq) as bytes
         from (
           select seq, level, line from log_lines
           where organization_id = :organizationId and stage_id = :stageId and ${chosen[which]}
           order by seq limit :limit) as lines) as summed
       where bytes <= :maxLogBytes order by seq`,
      { organizationId, ...of, lineBytes, maxLogBytes },
    )
    return askNamed<LogLine>(db, `log-lines-${which}`, query)
  }

  return {
    /** Appends a batch. Returns the last line's number. */
    async append(stageId: number, lines: readonly NewLogLine[]): Promise<number> {
      const [row] = await askPrepared<Appended>(db, appending(organizationId, stageId, lines))
      return row?.lastSeq ?? 0
    },

    /** The newest line's number; 0 where there is none. */
    async lastSeq(stageId: number): Promise<number> {
      const stage = await db('stages').where({ organizationId, id: stageId }).first('lastSeq')
      return stage?.lastSeq ?? 0
    },

    /** The lines after a `seq`: at most `limit` lines and `maxBytes` bytes, but at least one line. */
    async list(stageId: number, { after, limit, maxBytes }: LogPage): Promise<LogLine[]> {
      const query = db.raw(
        `select seq, level, line, host from (
           select seq, level, line, host, sum(octet_length(line) + :lineBytes) over (order by seq) as bytes
           from (
             select seq, level, line, host from log_lines
             where organization_id = :organizationId and stage_id = :stageId and seq > :after
             order by seq limit :limit) as lines) as summed
         where bytes <= :maxBytes or seq = :after + 1 order by seq`,
        { organizationId, stageId, after, limit, lineBytes, maxBytes: maxBytes ?? maxLogBytes },
      )
      const rows = await askNamed<LogLine & { host: string | null }>(db, 'log-lines', query)
      return rows.map(withoutNoHost)
    },

    /** The first warnings and errors: at most `limit` lines and `maxLogBytes` bytes. */
    async problems(stageId: number, limit: number): Promise<LogLine[]> {
      return select('problems', { stageId, limit })
    },

    /** The first lines that say what became of a resource: at most `limit` lines and `maxLogBytes` bytes. */
    async outcomes(stageId: number, limit: number): Promise<LogLine[]> {
      return select('outcomes', { stageId, limit })
    },

    /**
     * The first lines of many stages at once: at most `limit` per stage, and at most `maxLogBytes`
     * together. Short logs leave the rest of their share to longer ones.
     */
    async firstOf(
      all: ReadonlyArray<{ id: number; logBytes: number; lastSeq: number }>,
      limit: number,
    ): Promise<Array<LogLine & { stageId: number }>> {
      if (all.length === 0) return []
      const sizes = all.map(({ logBytes, lastSeq }) => logBytes + lastSeq * lineBytes)
      const { rows } = await db.raw(
        `select f.stage_id as "stageId", f.seq, f.level, f.line, f.host
         from unnest(:ids::integer[]) as s(id)
           cross join lateral (
             select stage_id, seq, level, line, host,
               sum(octet_length(line) + :lineBytes) over (order by seq) as bytes
             from log_lines
             where organization_id = :organizationId and stage_id = s.id and seq <= :limit) as f
         where f.bytes <= :share order by f.stage_id, f.seq`,
        {
          ids: all.map(({ id }) => id),
          organizationId,
          limit,
          lineBytes,
          share: fairShare(sizes, maxLogBytes),
        },
      )
      return rows.map(withoutNoHost)
    },
  }
}

/** Most lines are of no host. */
function withoutNoHost<T extends { host: string | null }>({
  host,
  ...line
}: T): Omit<T, 'host'> & { host?: string } {
  return host === null ? line : { ...line, host }
}

/** Limit of the log text in one answer. As JSON a line may take twice its text, so an answer stays under 2 MiB. */
export const maxLogBytes = 1_048_576
/** Overhead of a line beside its text. */
const lineBytes = 40

/** The largest equal share, where stages that need less take only what they need. */
export function fairShare(needs: readonly number[], whole: number): number {
  let [left, share] = [whole, 0]
  for (const [at, need] of needs.toSorted((a, b) => a - b).entries()) {
    share = Math.floor(left / (needs.length - at))
    if (need > share) return share
    left -= need
  }
  return whole
}
