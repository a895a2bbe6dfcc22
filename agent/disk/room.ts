import { statfsSync } from 'node:fs'
import { Refusal } from '../faults.ts'

const leastBytes = 1024 ** 3
const leastShare = 0.05

/** Bytes that may be written before the disk is too full. A part stays free for what else the host does. */
export function roomIn(folder: string): { bytes: number; files: number } {
  const { blocks, bavail, bsize, files, ffree } = statfsSync(folder)
  const kept = Math.min(leastBytes, blocks * bsize * leastShare)
  // Some file systems (btrfs) count no files: theirs is 0 of 0.
  return { bytes: bavail * bsize - kept, files: files === 0 ? Number.POSITIVE_INFINITY : ffree }
}

export function assertRoom(
  folder: string,
  { bytes, files = 0 }: { bytes: number; files?: number },
) {
  const room = roomIn(folder)
  if (room.bytes < bytes)
    throw new Refusal(
      'disk_full',
      `${inWords(bytes)} are needed, and ${inWords(Math.max(0, room.bytes))} may be used`,
    )
  if (room.files < files) throw new Refusal('disk_full', 'the file system has no free inodes left')
}

const inWords = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`
