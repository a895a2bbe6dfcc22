import { refuseRelease } from '../faults.ts'

export const blockBytes = 512

/** Names are in latin1, so that each byte of a name is one character: they may be no UTF-8. */
export type TarHeader = {
  name: string
  link: string
  mode: number
  size: number
  mtimeSeconds: number
  type: string
}

/** Reads a header of ustar or of old tar. Undefined for a block of zeros, with which an archive ends. */
export function readTarHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  assertChecksum(block)
  const isUstar = block.toString('latin1', 257, 262) === 'ustar'
  // GNU's own format (ustar, two spaces) has other fields where POSIX has the prefix.
  const isPosix = isUstar && block[263] === 0x30
  const prefix = isPosix ? textAt(block, 345, 155) : ''
  const name = textAt(block, 0, 100)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    link: textAt(block, 157, 100),
    mode: numberAt(block, 100, 8),
    size: numberAt(block, 124, 12),
    mtimeSeconds: numberAt(block, 136, 12),
    type: block[156] === 0 ? '0' : String.fromCharCode(block[156] ?? 0),
  }
}

/** The records of a pax header: `<length> <key>=<value>\n`, in latin1. */
export function readPaxRecords(data: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at)
    const digits = space < 0 ? '' : data.toString('latin1', at, space)
    const end = at + Number(digits)
    const text = data.toString('latin1', space + 1, end - 1)
    const equals = text.indexOf('=')
    if (
      !/^[1-9][0-9]{0,7}$/.test(digits) ||
      end > data.length ||
      data[end - 1] !== 0x0a ||
      equals < 1
    )
      throw refuseRelease('archive_refused', 'a pax header is damaged')
    records.set(text.slice(0, equals), text.slice(equals + 1))
    at = end
  }
  return records
}

function textAt(block: Buffer, from: number, length: number): string {
  const field = block.toString('latin1', from, from + length)
  const end = field.indexOf('\0')
  return end < 0 ? field : field.slice(0, end)
}

/** Octal digits; or, with the first bit set, a number in base 256. */
function numberAt(block: Buffer, from: number, length: number): number {
  if (((block[from] ?? 0) & 0x80) === 0) {
    const text = textAt(block, from, length).trim()
    if (!/^[0-7]*$/.test(text)) throw refuseRelease('archive_refused', 'a number is damaged')
    return text === '' ? 0 : parseInt(text, 8)
  }
  let value = (block[from] ?? 0) & 0x7f
  for (let at = from + 1; at < from + length; at += 1) value = value * 256 + (block[at] ?? 0)
  if (!Number.isSafeInteger(value)) throw refuseRelease('archive_refused', 'a number is too large')
  return value
}

function assertChecksum(block: Buffer): void {
  let sum = 0
  for (let at = 0; at < blockBytes; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0)
  if (numberAt(block, 148, 8) !== sum)
    throw refuseRelease('archive_refused', 'a header has another checksum')
}
