import type { Db } from '../connect.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogLine = { seq: number; level: LogLevel; line: string }
export type NewLogLine = { level: LogLevel; line: string }

/** The log of each stage: `seq` from 1, no holes (runs.md, Logs). */
export function logLines(db: Db, organizationId: number) {
  return {
    /** Appends a batch under the stage's own row lock, so that two writers never share a number. Returns the last one. */
    async append(stageId: number, lines: readonly NewLogLine[]): Promise<number> {
      const bytes = lines.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0)
      const { rows } = await db.raw(
        `with stage as (
           update stages set last_seq = last_seq + ?, log_bytes = log_bytes + ?
           where organization_id = ? and id = ? returning id, created_month, last_seq),
         stored as (
           insert into log_lines (organization_id, stage_id, month, seq, level, line)
           select ?, stage.id, stage.created_month, stage.last_seq - ? + l.position, l.level, l.line
           from stage, unnest(?::text[], ?::text[]) with ordinality as l(level, line, position))
         select last_seq as "lastSeq", pg_notify('cc_log', id::text) from stage`,
        [
          lines.length,
          bytes,
          organizationId,
          stageId,
          organizationId,
          lines.length,
          lines.map(({ level }) => level),
          lines.map(({ line }) => line),
        ],
      )
      return rows[0]?.lastSeq ?? 0
    },

    async list(stageId: number, after: number, limit: number): Promise<LogLine[]> {
      return db('log_lines')
        .where({ organizationId, stageId })
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .select('seq', 'level', 'line')
    },

    /** The first lines of many stages at once, for a page that shows several runs. */
    async firstOf(
      stageIds: readonly number[],
      limit: number,
    ): Promise<Array<LogLine & { stageId: number }>> {
      if (stageIds.length === 0) return []
      return db('log_lines')
        .where({ organizationId })
        .whereIn('stageId', [...stageIds])
        .where('seq', '<=', limit)
        .orderBy(['stageId', 'seq'])
        .select('stageId', 'seq', 'level', 'line')
    },
  }
}
