import { maxBytes, maxFiles, tooLarge, tooMany, unreadable, type UploadedFile } from './bounds.ts'
import { inflate } from './inflate.ts'

type Entry = {
  path: string
  method: number
  packedSize: number
  size: number
  at: number
  isLink: boolean
}

/** The files of a ZIP archive (PKWARE APPNOTE 6.3.10), without encryption and ZIP64. */
export async function readZip(archive: Uint8Array<ArrayBuffer>): Promise<UploadedFile[]> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  try {
    const files: UploadedFile[] = []
    let size = 0
    for (const entry of entriesOf(view)) {
      if (entry.path.endsWith('/')) continue
      if (files.length === maxFiles * 5) throw tooMany()
      if (entry.isLink) files.push({ path: entry.path, left: 'a link' })
      else {
        const bytes = await bytesOf(archive, view, { ...entry, limit: maxBytes - size })
        size += bytes.length
        files.push({ path: entry.path, bytes })
      }
    }
    return files
  } catch (error) {
    // Reading past the end, where an archive was cut off or lies about its places.
    throw error instanceof RangeError ? unreadable() : error
  }
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const encrypted = 1
const zip64 = 0xffffffff

function* entriesOf(view: DataView): Generator<Entry> {
  const end = endOf(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  for (let number = 0; number < count; number += 1) {
    if (view.getUint32(at, true) !== entrySignature) throw unreadable()
    const [packedSize, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    const start = view.getUint32(at + 42, true)
    if ((view.getUint16(at + 8, true) & encrypted) !== 0) throw unreadable()
    if ([packedSize, size, start].includes(zip64)) throw unreadable()
    const nameLength = view.getUint16(at + 28, true)
    const mode = view.getUint32(at + 38, true) >>> 16
    yield {
      path: textAt(view, at + 46, nameLength),
      method: view.getUint16(at + 10, true),
      packedSize,
      size,
      at: start,
      isLink: (mode & 0xf000) === 0xa000,
    }
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
}

/** The end record is the last one; a comment of up to 65,535 bytes may follow. */
function endOf(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at -= 1)
    if (view.getUint32(at, true) === endSignature) return at
  throw unreadable()
}

async function bytesOf(
  archive: Uint8Array<ArrayBuffer>,
  view: DataView,
  { method, packedSize, size, at, limit }: Entry & { limit: number },
): Promise<Uint8Array> {
  if (size > limit) throw tooLarge()
  if (view.getUint32(at, true) !== localSignature) throw unreadable()
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const packed = archive.subarray(start, start + packedSize)
  const bytes =
    method === 0 ? packed : method === 8 ? await inflate(packed, 'deflate-raw', limit) : undefined
  if (bytes?.length !== size) throw unreadable()
  return bytes
}

const textAt = (view: DataView, at: number, length: number): string =>
  new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at, length))
