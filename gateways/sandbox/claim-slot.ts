import { readFileSync } from 'node:fs'
import { unavailable } from '../../domain/errors.ts'
import { claimName } from './claim-name.ts'

export type Slot = {
  readonly number: number
  /** The uid and gid of its steps; undefined where the worker may not change to another. */
  readonly uid: number | undefined
  release(): void
}

/**
 * Claims the first free slot. Two workers in one slot would share a uid, and so could kill,
 * trace and read each other's steps. A root worker's slots are those of the host; another's
 * are of its work folder, since all of its steps have its own uid anyway.
 */
export async function claimSlot(workDir: string): Promise<Slot> {
  for (let number = 1; number <= maxSlots; number += 1) {
    const slot = await claimSlotNumber(workDir, number)
    if (slot) return slot
  }
  throw unavailable('no_slot', 'All slots of this host are taken')
}

/** This one slot, or undefined while a live process holds it. */
export async function claimSlotNumber(workDir: string, number: number): Promise<Slot | undefined> {
  const uid = canChangeUid ? firstUid + number - 1 : undefined
  if (uid !== undefined && namedUids().has(uid)) return undefined
  const folder = canChangeUid ? slotsOfHost : `${workDir}/slots`
  const claim = await claimName(folder, String(number))
  return claim && { number, uid, release: () => claim.release() }
}

const maxSlots = 900
const firstUid = 64_001
const canChangeUid = process.platform === 'linux' && process.getuid?.() === 0
/** /run is root's, so no other user of the host can be here first. */
const slotsOfHost = '/run/cloud-control/slots'

/** A uid that the host gave to somebody (Debian's ceph is 64045) is not ours to run or kill under. */
function namedUids(): Set<number> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return new Set(lines.map((line) => Number(line.split(':')[2])))
}
