import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import type { Postgres } from './postgres.ts'
import { runProgram } from './run-program.ts'

export type SchemaOptions = {
  postgres: Postgres
  role: string
  password: string
  version: string
  /** Finds the tool. Called only if a database needs an update. */
  sqlTool: () => Promise<string>
  say: (line: string) => void
}

const databases = [
  { database: 'temporal', schema: 'postgresql/v12/temporal' },
  { database: 'temporal_visibility', schema: 'postgresql/v12/visibility' },
]

/** Updates Temporal's two databases to the pinned version's schema, and stores the version as their comment. */
export async function ensureTemporalSchema(options: SchemaOptions): Promise<void> {
  const { postgres, role, password } = options
  const mark = `schema of temporal ${options.version}`
  for (const { database, schema } of databases) {
    await postgres.ensureDatabase({ role, database, password })
    if ((await readMark(postgres, database)) === mark) continue
    options.say(`temporal: bringing the database ${database} to the schema of ${options.version}`)
    const tool = await options.sqlTool()
    const run = (...words: string[]) =>
      runProgram(tool, {
        arguments: ['--plugin', 'postgres12', '--ep', '127.0.0.1', ...words],
        // In the environment: other users of the host can read arguments.
        env: {
          ...process.env,
          SQL_PORT: String(postgres.port),
          SQL_USER: role,
          SQL_PASSWORD: password,
          SQL_DATABASE: database,
        },
        timeoutMs: 120_000,
      })
    // Idempotent, also after an interrupted run.
    await run('setup-schema', '-v', '0.0')
    await run('update-schema', '--schema-name', schema)
    await writeMark(postgres, { database, mark })
  }
}

function readMark(postgres: Postgres, database: string): Promise<string | null> {
  const question = `select shobj_description(oid, 'pg_database') as answer from pg_database where datname = current_database()`
  return ask(postgres, database, question)
}

async function writeMark(
  postgres: Postgres,
  { database, mark }: { database: string; mark: string },
): Promise<void> {
  const statement = `comment on database ${escapeIdentifier(database)} is ${escapeLiteral(mark)}`
  await ask(postgres, database, statement)
}

async function ask(postgres: Postgres, database: string, sql: string): Promise<string | null> {
  const client = new Client({ connectionString: postgres.adminUrl(database) })
  await client.connect()
  try {
    const { rows } = await client.query<{ answer: string | null }>(sql)
    return rows[0]?.answer ?? null
  } finally {
    await client.end()
  }
}
