import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { unavailable } from '../../domain/errors.ts'

export type Slot = {
  readonly number: number
  /** The uid and gid of its steps; undefined where the worker may not change to another. */
  readonly uid: number | undefined
  release(): void
}

/**
 * Claims the first free slot of this host. Two workers in one slot would share a uid, and
 * so could kill, trace and read each other's steps.
 */
export async function claimSlot(): Promise<Slot> {
  for (let number = 1; number <= maxSlots; number += 1) {
    const slot = await claimSlotNumber(hasLocks ? number : process.pid * 1000 + number)
    if (slot) return slot
  }
  throw unavailable('no_slot', 'All slots of this host are taken')
}

/** This one slot, or undefined while a live process holds it. */
export async function claimSlotNumber(number: number): Promise<Slot | undefined> {
  const uid = canChangeUid ? firstUid + number - 1 : undefined
  if (uid !== undefined && namedUids().has(uid)) return undefined
  if (!hasLocks) return claimByProcess(number)
  const lock = await listen(`\0cloud-control-slot-${number}`)
  return lock && { number, uid, release: () => void lock.close() }
}

const maxSlots = 900
const firstUid = 64_001
const hasLocks = process.platform === 'linux'
const canChangeUid = hasLocks && process.getuid?.() === 0

/** An abstract unix socket ends with its process, however that dies, so a lock never outlives its holder. */
function listen(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(name, () => resolve(server.unref()))
  })
}

const claimed = new Set<number>()

/** Without abstract sockets the number tells whose slot it is: each process counts its own. */
function claimByProcess(number: number): Slot | undefined {
  const owner = Math.floor(number / 1000)
  if (owner === process.pid ? claimed.has(number) : isAlive(owner)) return undefined
  claimed.add(number)
  return { number, uid: undefined, release: () => void claimed.delete(number) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A uid that the host gave to somebody (Debian's ceph is 64045) is not ours to run or kill under. */
function namedUids(): Set<number> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return new Set(lines.map((line) => Number(line.split(':')[2])))
}
