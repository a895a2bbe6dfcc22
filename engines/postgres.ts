import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import type { Leash } from './leash.ts'
import { commandOf, endProcess, send } from './pid-file.ts'
import { passwordFile, postgresHome } from './postgres-home.ts'
import { postgresUser, type PostgresUser } from './postgres-user.ts'
import { runProgram } from './run-program.ts'
import { secretFile } from './secret-file.ts'
import { watchPart, type Part } from './watch-part.ts'

export type PostgresOptions = {
  dataDir: string
  port: number
  leash: Leash
  say: (line: string) => void
  /** Turns off durability, for tests: a crash of the machine may lose the data. */
  throwaway?: boolean
  signal?: AbortSignal | undefined
}

export type DatabaseNames = {
  role: string
  database: string
  password: string
  /** The role may create roles (for migrations) and databases (for tests). */
  mayCreate?: boolean
}

export type Postgres = {
  part: Part
  port: number
  /** The superuser's URL, only for the code of `engines/`. */
  adminUrl(database: string): string
  /** Idempotent: creates the role and its database, and sets the role's password. */
  ensureDatabase(wanted: DatabaseNames): Promise<void>
}

const admin = 'postgres'

/** Starts the embedded PostgreSQL on 127.0.0.1 and restarts it whenever it ends. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, port, say } = options
  const user = postgresUser(say)
  const password = secretFile(join(dataDir, passwordFile), newPassword)
  const { cluster, native } = await postgresHome(dataDir, user, say)
  const env = { ...cleanEnvironment(), LC_ALL: 'C' }
  await initialize({ ...options, cluster, native, user, password, env })

  const adminUrl = (database: string) =>
    `postgres://${admin}:${password}@127.0.0.1:${port}/${database}`
  const part = await watchPart({
    ...options,
    name: 'postgres',
    answers: true,
    program: join(native, 'bin', 'postgres'),
    arguments: ['-D', cluster, ...settings(port, options.throwaway === true)],
    env,
    owner: user,
    cwd: dirname(cluster),
    prepare: () => clearLeftovers(cluster, say),
    probe: () => query(adminUrl('postgres'), ['select 1']),
    readyTimeoutMs: 120_000,
    // SIGINT ("fast") ends the sessions and shuts down cleanly. SIGTERM would wait for the clients.
    // SIGQUIT ends at once; the next start would recover, and a throwaway cluster has no next start.
    stopSignal: options.throwaway ? 'SIGQUIT' : 'SIGINT',
    stopTimeoutMs: 20_000,
    firstAttempts: 5,
  })
  return {
    part,
    port,
    adminUrl,
    ensureDatabase: (wanted) => ensureDatabase(adminUrl, wanted),
  }
}

export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

function settings(port: number, throwaway: boolean): string[] {
  const values: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    // No Unix socket: its path would need a short, writable folder.
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '256MB',
    effective_cache_size: '1GB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_wal_size: '1GB',
    random_page_cost: 1.1,
    // The service's queries are short: parallel plans and JIT compilation cost more than they gain.
    max_parallel_workers_per_gather: 0,
    jit: 'off',
    log_min_messages: 'warning',
    timezone: 'UTC',
    log_timezone: 'UTC',
    fsync: throwaway ? 'off' : 'on',
    ...(throwaway && { synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

type Initialization = {
  cluster: string
  native: string
  user: PostgresUser | undefined
  password: string
  env: NodeJS.ProcessEnv
  throwaway?: boolean
  signal?: AbortSignal | undefined
}

/** Creates the cluster atomically: in a temporary folder, then renamed. A start after a crash begins again. */
async function initialize(work: Initialization): Promise<void> {
  const { cluster, native, user, password, env } = work
  if (existsSync(join(cluster, 'PG_VERSION'))) return
  const folder = mkdtempSync(join(dirname(cluster), '.initdb-'))
  try {
    const pwfile = join(folder, 'password')
    writeFileSync(pwfile, `${password}\n`, { mode: 0o600 })
    if (user) for (const path of [folder, pwfile]) chownSync(path, user.uid, user.gid)
    await runProgram(join(native, 'bin', 'initdb'), {
      arguments: [
        `--pgdata=${join(folder, 'data')}`,
        `--username=${admin}`,
        `--pwfile=${pwfile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(work.throwaway ? ['--no-sync'] : []),
      ],
      env,
      cwd: folder,
      timeoutMs: 180_000,
      signal: work.signal,
      ...(user && { owner: user }),
    })
    renameSync(join(folder, 'data'), cluster)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Ends a server that an earlier start left on this cluster. Otherwise removes a postmaster.pid whose PID
 * now belongs to another program, as in a restarted container: PostgreSQL would refuse to start.
 */
async function clearLeftovers(cluster: string, say: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (!Number.isInteger(pid) || pid <= 1 || !send(pid, 0)) return
  const command = commandOf(pid)
  if (command.includes('postgres') && command.includes(`-D ${cluster}`)) {
    say(`postgres: ending process ${pid}, left over from an earlier start`)
    await endProcess(pid, 'SIGINT')
  } else rmSync(file, { force: true })
}

async function ensureDatabase(
  adminUrl: (database: string) => string,
  { role, database, password, mayCreate = false }: DatabaseNames,
): Promise<void> {
  // Escaped, because utility statements take no parameters. No value comes from a user.
  const name = escapeIdentifier(role)
  const client = new Client({ connectionString: adminUrl('postgres') })
  await client.connect()
  try {
    const { rowCount: hasRole } = await client.query('select from pg_roles where rolname = $1', [
      role,
    ])
    const may = mayCreate ? 'createrole createdb' : 'nocreaterole nocreatedb'
    const options = `login nosuperuser ${may} password ${escapeLiteral(password)}`
    await client.query(`${hasRole ? 'alter' : 'create'} role ${name} ${options}`)
    // Grants the role membership in the roles that it creates (cc_app), so that it can `set role` to them.
    await client.query(`alter role ${name} set createrole_self_grant = 'set, inherit'`)
    const { rowCount: hasDatabase } = await client.query(
      'select from pg_database where datname = $1',
      [database],
    )
    if (!hasDatabase)
      await client.query(`create database ${escapeIdentifier(database)} owner ${name}`)
  } finally {
    await client.end()
  }
}

async function query(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Without PG* variables: those of the operator's shell refer to another server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name))
  return Object.fromEntries(kept)
}
