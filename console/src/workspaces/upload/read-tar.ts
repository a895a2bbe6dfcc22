import { maxFiles, tooMany, unreadable, type UploadedFile } from './bounds.ts'

const block = 512

/** The files of a tar archive (POSIX.1-2024, pax; and the long names of GNU tar). */
export function readTar(archive: Uint8Array): UploadedFile[] {
  const files: UploadedFile[] = []
  let longName: string | undefined
  for (let at = 0; at + block <= archive.length;) {
    const header = archive.subarray(at, at + block)
    // Two blocks of zeros end it; the first one is enough to tell.
    if (header[0] === 0) return files
    const size = sizeIn(header)
    const bytes = archive.subarray(at + block, at + block + size)
    if (!hasChecksum(header) || bytes.length < size) throw unreadable()
    at += block + Math.ceil(size / block) * block
    const kind = String.fromCharCode(header[156] ?? 0)
    if (kind === 'x') longName = paxPath(bytes) ?? longName
    else if (kind === 'L') longName = textOf(bytes)
    else if (kind !== 'g' && kind !== 'K') {
      const path = longName ?? shortName(header)
      longName = undefined
      if (files.length === maxFiles * 5) throw tooMany()
      if (kind === '0' || kind === '\0') files.push({ path, bytes })
      else if (kind !== '5') files.push({ path, left: 'a link or a device' })
    }
  }
  return files
}

/** Octal digits. The binary form, for files over 8 GiB, is not a number here. */
function sizeIn(header: Uint8Array): number {
  const digits = textOf(header.subarray(124, 136)).trim()
  if (!/^[0-7]*$/.test(digits)) throw unreadable()
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

/** The sum of all bytes, with spaces in place of the sum itself. */
function hasChecksum(header: Uint8Array): boolean {
  const said = Number.parseInt(textOf(header.subarray(148, 156)).trim(), 8)
  let sum = 0
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte
  return sum === said
}

function shortName(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100))
  const isPosix = textOf(header.subarray(257, 262)) === 'ustar'
  const prefix = isPosix && header[262] === 0 ? textOf(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Records of `length key=value\n`. */
function paxPath(bytes: Uint8Array): string | undefined {
  for (let at = 0; at < bytes.length;) {
    const length = Number.parseInt(new TextDecoder().decode(bytes.subarray(at, at + 12)), 10)
    if (!(length > 0)) throw unreadable()
    const record = new TextDecoder().decode(bytes.subarray(at, at + length - 1))
    const [, path] = /^\d+ path=([^]*)$/.exec(record) ?? []
    if (path !== undefined) return path
    at += length
  }
  return undefined
}

/** Up to the first NUL. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
}
