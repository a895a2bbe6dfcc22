import { refuseRelease } from '../faults.ts'
import { blockBytes, readPaxRecords, readTarHeader, type TarHeader } from './tar-header.ts'

export type TarSink = {
  entry(header: TarHeader): void
  /** Bytes of the file that was named last. They are only valid during the call. */
  data(bytes: Buffer): void
  /** The file that was named last is whole. */
  endFile(): void
}

/** Headers that describe the next entry; and those of GNU tar for long names. */
const describing = new Set(['x', 'g', 'L', 'K'])
const maxDescriptionBytes = 64 * 1024

/**
 * Reads an archive in pieces of any size. It accepts what GNU tar writes with --format=posix and what Python's
 * tarfile writes, and refuses what it does not know: where two readers see two archives in the same bytes,
 * what was looked at is not what is unpacked.
 */
export function tarReader(sink: TarSink): { write(bytes: Buffer): void; end(): void } {
  const block = Buffer.alloc(blockBytes)
  let held = 0
  let left = 0
  let padding = 0
  let zeroBlocks = 0
  let described: { header: TarHeader; data: Buffer; held: number } | undefined
  let next: { path?: string; link?: string; records?: Map<string, string> } = {}

  const describe = ({ header: { type }, data }: NonNullable<typeof described>) => {
    if (type === 'L') next.path = withoutNul(data)
    else if (type === 'K') next.link = withoutNul(data)
    else {
      const records = readPaxRecords(data)
      if (type === 'x') next.records = records
      else if (['path', 'linkpath', 'size'].some((key) => records.has(key)))
        throw refuseRelease('archive_refused', 'a global header names a file')
    }
  }
  const begin = (header: TarHeader) => {
    if (describing.has(header.type)) {
      if (header.size > maxDescriptionBytes)
        throw refuseRelease('archive_refused', 'a header is too long')
      described = { header, data: Buffer.alloc(header.size), held: 0 }
    } else {
      header = complete(header, next)
      next = {}
      sink.entry(header)
    }
    left = header.size
    padding = (blockBytes - (header.size % blockBytes)) % blockBytes
    if (left === 0) finish(header.type)
  }
  const finish = (type: string) => {
    if (described) describe(described)
    else if (isFile(type)) sink.endFile()
    described = undefined
  }
  const take = (bytes: Buffer) => {
    left -= bytes.length
    if (described) described.held += bytes.copy(described.data, described.held)
    else sink.data(bytes)
    if (left === 0) finish(described?.header.type ?? '0')
  }
  const head = () => {
    const header = readTarHeader(block)
    if (!header) zeroBlocks += 1
    else if (zeroBlocks > 0)
      throw refuseRelease('archive_refused', 'something follows the end of the archive')
    else begin(header)
  }

  return {
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        if (left > 0) {
          const part = bytes.subarray(at, at + left)
          at += part.length
          take(part)
        } else if (padding > 0) {
          const skipped = Math.min(padding, bytes.length - at)
          padding -= skipped
          at += skipped
        } else {
          const copied = bytes.copy(block, held, at, at + blockBytes - held)
          held += copied
          at += copied
          if (held < blockBytes) continue
          held = 0
          head()
        }
      }
    },
    end() {
      if (left > 0 || padding > 0 || held > 0 || zeroBlocks < 2)
        throw refuseRelease('archive_refused', 'the archive has no end')
    },
  }
}

export const isFile = (type: string): boolean => type === '0'

function complete(
  header: TarHeader,
  { path, link, records }: { path?: string; link?: string; records?: Map<string, string> },
): TarHeader {
  for (const key of records?.keys() ?? [])
    if (key.startsWith('GNU.sparse'))
      throw refuseRelease('archive_refused', 'a file is stored with holes')
  const size = records?.get('size')
  if (size !== undefined && !/^[0-9]{1,15}$/.test(size))
    throw refuseRelease('archive_refused', 'a number is damaged')
  const whole = {
    ...header,
    name: records?.get('path') ?? path ?? header.name,
    link: records?.get('linkpath') ?? link ?? header.link,
    size: size === undefined ? header.size : Number(size),
    mtimeSeconds: Number(records?.get('mtime') ?? header.mtimeSeconds) || 0,
  }
  if (!isFile(whole.type) && whole.size > 0)
    throw refuseRelease('archive_refused', 'something that is no file has bytes')
  return whole
}

const withoutNul = (data: Buffer): string => data.toString('latin1').replace(/\0+$/, '')
