import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { claimSlotNumber, type Slot } from './claim-slot.ts'
import { killUid } from './kill-uid.ts'
import { orderMount } from './mount-shell.ts'

export type WorkFolder = {
  readonly path: string
  /** Whether the kernel holds the size; where it does not, a watch has to. */
  readonly hasQuota: boolean
}

/** A folder that only this slot may enter, on a tmpfs of this size where mounting is permitted. */
export async function makeWorkFolder(
  workDir: string,
  slot: Slot,
  sizeBytes: number,
): Promise<WorkFolder> {
  const path = join(workDir, `slot-${slot.number}-${randomBytes(6).toString('hex')}`)
  await mkdir(path, { mode: 0o700 })
  if (slot.uid === undefined) return { path, hasQuota: false }

  // The count of files is held too: each costs kernel memory that no size counts.
  const inodes = Math.max(4096, Math.floor(sizeBytes / 4096))
  const options = `size=${sizeBytes},nr_inodes=${inodes},mode=0700,uid=${slot.uid},gid=${slot.uid},nosuid,nodev`
  const hasQuota = await orderMount({ verb: 'mount', path, options })
  if (!hasQuota) {
    await chown(path, slot.uid, slot.uid)
    await chmod(path, 0o700)
  }
  return { path, hasQuota }
}

/** Unmounts and removes it. No process of its slot may be alive: removal would race with it. */
export async function removeWorkFolder(path: string): Promise<void> {
  // An unmount leaves an empty folder; where nothing was mounted, the files go one by one.
  const unmounted = process.getuid?.() === 0 && (await orderMount({ verb: 'umount', path }))
  if (unmounted) await rmdir(path).catch(() => {})
  else await rm(path, { recursive: true, force: true })
}

/** Removes what dead workers left here; a folder whose slot is held belongs to a live one. */
export async function removeLeftovers(workDir: string): Promise<number> {
  let removed = 0
  for (const name of await readdir(workDir)) {
    const number = Number(/^slot-(\d+)-/.exec(name)?.[1])
    if (!number) continue
    const slot = await claimSlotNumber(number)
    if (!slot) continue
    try {
      removed += await clearSlot(workDir, slot)
    } finally {
      slot.release()
    }
  }
  return removed
}

/** Ends and removes everything in this slot, which the caller holds and has not used yet. */
export async function clearSlot(workDir: string, slot: Slot): Promise<number> {
  await killUid(slot.uid)
  const names = await readdir(workDir)
  const left = names.filter((name) => name.startsWith(`slot-${slot.number}-`))
  for (const name of left) await removeWorkFolder(join(workDir, name))
  return left.length
}
