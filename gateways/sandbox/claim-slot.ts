import { existsSync, readFileSync } from 'node:fs'
import { unavailable } from '../../domain/errors.ts'
import { claimName } from './claim-name.ts'

export type Slot = {
  readonly number: number
  /** The uid and gid of its steps; undefined if the worker cannot change to another. */
  readonly uid: number | undefined
  release(): void
}

/**
 * Claims the first free slot. Two workers in one slot would share a uid, so their steps could kill, trace and
 * read each other. A root worker's slots are the host's; another worker's are those of its work folder, since
 * all of its steps have its own uid.
 */
export async function claimSlot(workDir: string): Promise<Slot> {
  for (let number = 1; number <= maxSlots; number += 1) {
    const slot = await claimSlotNumber(workDir, number)
    if (slot) return slot
  }
  throw unavailable('no_slot', 'All slots of this host are taken')
}

/** This slot, or undefined while a live process holds it. */
export async function claimSlotNumber(workDir: string, number: number): Promise<Slot | undefined> {
  const uid = canChangeUid ? firstUid + number - 1 : undefined
  if (uid !== undefined && (namedUids().has(uid) || isDynamic(uid))) return undefined
  const folder = canChangeUid ? slotsOfHost : `${workDir}/slots`
  const claim = await claimName(folder, String(number))
  return claim && { number, uid, release: () => claim.release() }
}

const maxSlots = 900
const firstUid = 64_001
const canChangeUid = process.platform === 'linux' && process.getuid?.() === 0
/** Only root can write to /run, so no other user of the host can take it first. */
const slotsOfHost = '/run/cloud-control/slots'

/** systemd gives a service with `DynamicUser=` a uid of 61184 to 65519 that is in no file of users. */
const isDynamic = (uid: number): boolean => existsSync(`/run/systemd/dynamic-uid/${uid}`)

/** Uids that the host assigned (Debian's ceph is 64045) must not be used or killed. */
function namedUids(): Set<number> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return new Set(lines.map((line) => Number(line.split(':')[2])))
}
