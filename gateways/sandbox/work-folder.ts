import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { chmod, chown, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { groupOfRunner, removeCgroups, removeGroupsOfDead } from './cgroup.ts'
import { claimSlotNumber, type Slot } from './claim-slot.ts'
import { killUid } from './kill-uid.ts'
import { orderMount } from './mount-shell.ts'
import type { SandboxOptions } from './sandbox-options.ts'

export type WorkFolder = {
  readonly path: string
  /** Whether the kernel limits the size; otherwise it is measured. */
  readonly hasQuota: boolean
}

/**
 * A folder that only this slot may enter: on a tmpfs of this size where mounting is permitted, or on the disk of
 * `workDir` where steps need more room than memory has.
 */
export async function makeWorkFolder(
  { workDir, onDisk = false }: Pick<SandboxOptions, 'workDir' | 'onDisk'>,
  slot: Slot,
  sizeBytes: number,
): Promise<WorkFolder> {
  const path = join(workDir, `slot-${slot.number}-${randomBytes(6).toString('hex')}`)
  await mkdir(path, { mode: 0o700 })
  if (slot.uid === undefined) return { path, hasQuota: false }

  // The number of files is limited too: each takes kernel memory that no size covers.
  const inodes = Math.max(4096, Math.floor(sizeBytes / 4096))
  const options = `size=${sizeBytes},nr_inodes=${inodes},mode=0700,uid=${slot.uid},gid=${slot.uid},nosuid,nodev`
  const hasQuota = !onDisk && (await orderMount({ verb: 'mount', path, options }))
  if (!hasQuota) {
    await chown(path, slot.uid, slot.uid)
    await chmod(path, 0o700)
  }
  return { path, hasQuota }
}

const maxTries = 50

/**
 * Unmounts and removes it. No process of its slot may be alive, since removal would race with it. A mount that a
 * killed worker had ordered may come after the unmount: then the folder is busy, and both are tried again.
 */
export async function removeWorkFolder(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await removeOnce(path)
      return
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY'
      if (!isBusy || tries === maxTries) throw error
      await sleep(100)
    }
}

async function removeOnce(path: string): Promise<void> {
  // An unmount leaves an empty folder; where nothing was mounted, the files go one by one.
  const unmounted = process.getuid?.() === 0 && (await orderMount({ verb: 'umount', path }))
  if (unmounted) await rmdir(path).catch(() => {})
  else await rm(path, { recursive: true, force: true })
}

/** The folder in which each process that has sandboxes here holds a claim. */
export const usersOf = (workDir: string): string => join(workDir, 'users')

export type WorkPlace = {
  workDir: string
  /** The folder with the cgroups of this work folder's steps. */
  cgroups: string | null
}

/** Removes what dead workers left here. Slots that are held belong to live ones. */
export async function removeLeftovers(place: WorkPlace): Promise<number> {
  if (place.cgroups !== null) await removeGroupsOfDead(place.cgroups, groupOfRunner)
  const names = [...(await readdir(place.workDir)), ...groupNames(place)]
  const numbers = new Set(names.map((name) => Number(/^slot-(\d+)-/.exec(name)?.[1])))
  let removed = 0
  for (const number of numbers) {
    if (!number) continue
    const slot = await claimSlotNumber(place.workDir, number)
    if (!slot) continue
    try {
      removed += await clearSlot(place, slot)
    } finally {
      slot.release()
    }
  }
  return removed
}

/** Kills and removes everything in this slot, which the caller has just claimed. */
export async function clearSlot({ workDir, cgroups }: WorkPlace, slot: Slot): Promise<number> {
  await killUid(slot.uid)
  const prefix = `slot-${slot.number}-`
  if (cgroups !== null) await removeCgroups(cgroups, prefix)
  const left = (await readdir(workDir)).filter((name) => name.startsWith(prefix))
  for (const name of left) await removeWorkFolder(join(workDir, name))
  return left.length
}

const groupNames = ({ cgroups }: WorkPlace): string[] => (cgroups ? readdirSync(cgroups) : [])
