import { randomBytes } from 'node:crypto'
import { closeSync, constants, existsSync, fstatSync, mkdirSync } from 'node:fs'
import { openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { unavailable } from '../../domain/errors.ts'

export type Claim = { release(): void }

/**
 * Claims a name in this folder for this process; undefined while another live process, or another claim of
 * this one, holds it. The kernel ends a claim with its process, so it never outlives its holder.
 *
 * A claim is a listening unix socket with a unique path, in a folder that only this user may enter, so no
 * other user of the host can claim. Each claimant listens first and then looks for others, and gives up if it
 * finds one that listens. Of two claimants, the one that looks last finds the other: both may give up, but
 * never do both hold the name.
 *
 * A socket listens some time after it is bound, so it is bound to a path that is no claim, and renamed once it
 * listens. A claim that nobody listens on belongs to a dead process, whenever it is removed. Removed are also paths
 * that were never renamed: a claimant that was not dead, but slow, cannot rename its own any more, and gives up.
 */
export async function claimName(folder: string, name: string): Promise<Claim | undefined> {
  const place = openPlace(folder)
  const own = `${name}.${randomBytes(6).toString('hex')}`
  const bound = `${boundPrefix}${own}`
  let server: Server | undefined
  const release = () => {
    server?.close()
    for (const file of [own, bound]) rmSync(`${folder}/${file}`, { force: true })
    closeSync(place.fd)
  }
  try {
    server = await listen(`${place.path}/${bound}`)
    if (!becomesClaim(`${folder}/${bound}`, `${folder}/${own}`)) {
      release()
      return undefined
    }
    const others = readdirSync(folder).filter((file) => file !== own && isOfName(file, name))
    for (const other of others) {
      if (!(await listens(`${place.path}/${other}`))) rmSync(`${folder}/${other}`, { force: true })
      else if (!other.startsWith(boundPrefix)) {
        release()
        return undefined
      }
    }
    return { release }
  } catch (error) {
    release()
    throw error
  }
}

/** Of a path that is no claim yet. */
const boundPrefix = '.'

const isOfName = (file: string, name: string): boolean =>
  file.startsWith(`${name}.`) || file.startsWith(`${boundPrefix}${name}.`)

/** False if another claimant took it for the path of a dead process and removed it. */
function becomesClaim(bound: string, claim: string): boolean {
  try {
    renameSync(bound, claim)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Whether a live process holds any name in this folder. */
export async function isAnyClaimed(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false
  const place = openPlace(folder)
  try {
    for (const file of readdirSync(folder)) if (await listens(`${place.path}/${file}`)) return true
    return false
  } finally {
    closeSync(place.fd)
  }
}

/** By descriptor on Linux: a socket's path is limited to 107 bytes, and a data directory's may be longer. */
function openPlace(folder: string): { fd: number; path: string } {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const { uid, mode } = fstatSync(fd)
  if (uid === process.getuid?.() && (mode & 0o077) === 0)
    return { fd, path: process.platform === 'linux' ? `/proc/self/fd/${fd}` : folder }
  closeSync(fd)
  throw unavailable(
    'sandbox_unavailable',
    `${folder} must belong to the worker's user and be closed to others (chmod 700): whoever can write there can take every slot`,
  )
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(path, () => resolve(server.unref()))
  })
}

/** Any answer but a refusal means that somebody listens: a full backlog, for example. */
function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    )
  })
}
