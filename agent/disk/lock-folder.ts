import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from '../faults.ts'

export type FolderLock = {
  /** Whether this process still holds the folder. */
  isHeld(): boolean
  release(): void
}

const name = 'agent.lock'
/** For another one that looked before this one's socket was there. */
const settleMs = 100

/**
 * One agent a folder. The lock is a Unix socket that the agent listens on: the kernel closes it when the process
 * is killed, and it is seen from another container that has the same folder, where a process id says nothing.
 * Undefined if another agent holds it. The current folder must be the agent's: the path of a socket has at most
 * 107 bytes.
 */
export async function lockFolder(): Promise<FolderLock | undefined> {
  if (await answers()) return undefined
  const beside = `${name}.${randomBytes(6).toString('hex')}`
  const server = createServer((socket) => socket.destroy())
  server.listen(beside)
  await once(server, 'listening')
  const own = inodeOf(beside)
  // Of two that start at once over the socket of a dead one, the last rename stands, and the other sees it.
  renameSync(beside, name)
  await sleep(settleMs)
  // Does not keep a process alive that has nothing else to do.
  server.unref()
  const isHeld = () => inodeOf(name) === own
  if (!isHeld()) {
    server.close()
    return undefined
  }
  return {
    isHeld,
    release() {
      if (isHeld()) rmSync(name, { force: true })
      server.close()
    },
  }
}

async function answers(): Promise<boolean> {
  const socket = connect(name)
  return new Promise((resolve) => {
    socket.once('error', (error) =>
      // Nobody listens. Any other fault may be a holder that is busy.
      resolve(!['ENOENT', 'ECONNREFUSED'].includes(errnoOf(error) ?? '')),
    )
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

const inodeOf = (path: string): number | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.ino
