import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import type { ProgramRequest } from './protocol.ts'

export type OpenDatabase = { connection: DuckDBConnection; close: () => void }

/**
 * A database that reads and writes below the work folder alone, and from which no statement gets out: no
 * extension is fetched or loaded, and nothing of this can be changed afterwards.
 */
export async function openDatabase(
  request: Pick<ProgramRequest, 'memoryBytes' | 'scratchFolder' | 'scratchBytes'>,
  { folders, threads }: { folders: readonly string[]; threads: number },
): Promise<OpenDatabase> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${request.memoryBytes}B`,
    threads: String(threads),
    temp_directory: request.scratchFolder,
    max_temp_directory_size: `${request.scratchBytes}B`,
    // Nothing here depends on the order of rows, and keeping it takes memory.
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
  const connection = await instance.connect()
  await connection.run(`SET TimeZone = 'UTC'`)
  await connection.run(`SET allowed_directories = [${folders.map(quoted).join(', ')}]`)
  await connection.run(`SET enable_external_access = false`)
  await connection.run(`SET lock_configuration = true`)
  return {
    connection,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** A text in SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A name in SQL. */
export const named = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The rows of an answer as objects of text, numbers and null. */
export async function rowsOf(
  database: DuckDBConnection,
  sql: string,
): Promise<Record<string, unknown>[]> {
  return (await database.runAndReadAll(sql)).getRowObjectsJson()
}
