import type { Client } from '@temporalio/client'
import type { PlatformDb } from '../../store/driver/connect.ts'

/** Longer columns are left out: a state of 64 MiB is encrypted, and slow to search. */
const largestRow = 5_000_000

/** Every row of every table as text, so that a secret in clear text in the database is found. */
export async function textOfDatabase(db: PlatformDb): Promise<Map<string, string>> {
  const { rows: tables } = await db.raw(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and has_table_privilege(c.oid, 'select')`,
  )
  const texts = new Map<string, string>()
  for (const { name } of tables) {
    const { rows } = await db.raw(
      `select t::text as line from "${name}" t where length(t::text) < ${largestRow}`,
    )
    texts.set(name, rows.map(({ line }: { line: string }) => line).join('\n'))
  }
  return texts
}

/**
 * The histories of all workflows of a namespace with undecoded payloads, as anyone with access to
 * Temporal's UI reads them.
 */
export async function textOfHistories(client: Client): Promise<string> {
  const texts: string[] = []
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    texts.push(
      JSON.stringify(history, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : value,
      ),
    )
  }
  return texts.join('\n')
}
