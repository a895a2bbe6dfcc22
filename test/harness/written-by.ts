import type { Client } from '@temporalio/client'
import type { PlatformDb } from '../../store/driver/connect.ts'

/** A state of 64 MiB is sealed, and nothing to read through. */
const largestRow = 5_000_000

/** Every row of every table, as text: whatever is in the clear in the database is found in it. */
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

/** The histories of all workflows of a namespace, their payloads as they are: anybody may read them in the engine's UI. */
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
