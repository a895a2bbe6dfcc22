import {
  closeSync,
  constants,
  futimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { assertRoom, roomIn } from '../disk/room.ts'
import { errnoOf, refuseRelease, Refusal } from '../faults.ts'
import { assertLinksStay } from './assert-links-stay.ts'
import { entryPath, refusedPath } from './entry-path.ts'
import { isFile, type TarSink } from './read-tar.ts'
import type { TarHeader } from './tar-header.ts'

export type UnpackLimits = { bytes: number; entries: number }

/** Those of the service for an artifact, docs/decisions/0172-builds.md and gateways/artifacts/pack-artifact.ts. */
export const unpackLimits: UnpackLimits = { bytes: 8 * 1024 ** 3, entries: 200_000 }

/** What folders and links are remembered by. */
const maxRememberedLength = 32 * 1024 * 1024
/** How much is written between two looks at the disk, at most. */
const lookEveryBytes = 32 * 1024 * 1024
const lookEveryEntries = 5_000

/**
 * Writes the entries of an archive into a new, empty folder. Files are only made (O_EXCL), in folders that this
 * function made. Links are made at the end, once all of them are known to stay inside: until then no path can lead
 * through one. System calls are synchronous: for small files that is five times as fast, and between two pieces of
 * the archive the process does its other work.
 */
export function placeEntries(
  root: string,
  limits: UnpackLimits,
): TarSink & {
  finish(): { entries: number; bytes: number }
  /** After a fault. */
  close(): void
} {
  const base = Buffer.from(`${root}/`)
  const pathOf = (path: string) => Buffer.concat([base, Buffer.from(path, 'latin1')])
  const folders = new Set([''])
  const links = new Map<string, string>()
  const open = { file: -1, mtimeSeconds: 0 }
  const sum = { entries: 0, bytes: 0, remembered: 0 }

  const remember = (length: number) => {
    sum.remembered += length
    if (sum.remembered > maxRememberedLength)
      throw refuseRelease('archive_refused', 'it has too many folders and links')
  }
  const makeFolder = (path: string) => {
    if (folders.has(path)) return
    makeParent(path)
    remember(path.length)
    placing(path, () => mkdirSync(pathOf(path), 0o755))
    folders.add(path)
  }
  const makeParent = (path: string) => {
    const slash = path.lastIndexOf('/')
    if (slash > 0) makeFolder(path.slice(0, slash))
  }
  const makeFile = (path: string, { mode, mtimeSeconds }: TarHeader) => {
    makeParent(path)
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
    open.mtimeSeconds = Math.min(Math.max(0, mtimeSeconds), latestSeconds)
    open.file = placing(path, () =>
      openSync(
        pathOf(path),
        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
        (mode & 0o111) === 0 ? 0o644 : 0o755,
      ),
    )
  }
  /** What may be written before the next look at the disk. */
  const left = { bytes: 0, entries: 0 }
  const look = () => {
    assertRoom(root, { bytes: 1, files: 1 })
    const room = roomIn(root)
    left.bytes = Math.min(lookEveryBytes, room.bytes)
    left.entries = Math.min(lookEveryEntries, room.files)
  }

  const close = () => {
    if (open.file >= 0) closeSync(open.file)
    open.file = -1
  }

  return {
    entry(header) {
      const path = entryPath(header.name)
      sum.entries += 1
      sum.bytes += header.size
      if (sum.entries > limits.entries) throw overLimit(`${limits.entries} entries`)
      if (sum.bytes > limits.bytes) throw overLimit(`${limits.bytes} bytes`)
      left.entries -= 1
      if (left.entries < 0) look()
      if ((header.mode & 0o6000) !== 0) throw refusedPath(header.name, 'has a set-id bit')
      if (path === '') {
        if (header.type !== '5') throw refusedPath(header.name, 'has no name')
      } else if (header.type === '5') makeFolder(path)
      else if (isFile(header.type)) makeFile(path, header)
      else if (header.type === '2') {
        if (links.has(path)) throw refusedPath(header.name, 'is there twice')
        remember(path.length + header.link.length)
        links.set(path, header.link)
      } else throw refusedPath(header.name, whyNot[header.type] ?? 'is of an unknown kind')
    },

    data(bytes) {
      placing('', () => {
        for (let at = 0; at < bytes.length;) at += writeSync(open.file, bytes, at)
      })
      left.bytes -= bytes.length
      if (left.bytes < 0) look()
    },

    endFile() {
      futimesSync(open.file, open.mtimeSeconds, open.mtimeSeconds)
      close()
    },
    close,

    finish() {
      assertLinksStay(links)
      for (const [path, target] of links) {
        makeParent(path)
        placing(path, () => symlinkSync(Buffer.from(target, 'latin1'), pathOf(path)))
      }
      return { entries: sum.entries, bytes: sum.bytes }
    },
  }
}

/** What ext4 can store. */
const latestSeconds = 2 ** 33

const whyNot: Record<string, string> = {
  '1': 'is a hard link, which no artifact has',
  '3': 'is a device node',
  '4': 'is a device node',
  '6': 'is a pipe',
  S: 'is a file with holes',
}

const overLimit = (what: string): Error =>
  refuseRelease('archive_refused', `it has more than ${what}`)

function placing<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'EEXIST' || code === 'ENOTDIR') throw refusedPath(path, 'is there twice')
    if (code === 'ENAMETOOLONG') throw refusedPath(path, 'is too long')
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
      throw new Refusal('disk_full', 'the disk filled up while the release was unpacked')
    throw error
  }
}
