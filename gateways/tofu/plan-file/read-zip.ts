import { crc32, inflateRawSync } from 'node:zlib'
import { PlanForged, PlanTooLarge } from './plan-forged.ts'

export type ZipEntry = {
  name: string
  /** Throws where the content is not what the archive says of it. */
  read: (maxBytes: number) => Buffer
}

const maxEntries = 20_000
const signatures = {
  local: 0x04034b50,
  descriptor: 0x08074b50,
  central: 0x02014b50,
  end: 0x06054b50,
}
const endBytes = 22
const centralBytes = 46
const localBytes = 30
const descriptorBytes = 16
/** Bit 3: sizes follow the data; bit 11: the name is UTF-8. Encryption is bit 0. */
const knownFlags = 0x0808

/**
 * The entries of an archive exactly as Go's archive/zip writes it: the entries from the first byte on, then
 * the directory, then the end, and nothing between. Anything looser could be another archive to another
 * reader, so it is refused.
 */
export function readZip(file: Buffer): ZipEntry[] {
  if (file.length < endBytes || file.readUInt32LE(0) !== signatures.local)
    throw new PlanForged('it is no plain zip archive')
  const end = file.length - endBytes
  if (file.readUInt32LE(end) !== signatures.end) throw loose()
  const [disk, diskOfDirectory] = [file.readUInt16LE(end + 4), file.readUInt16LE(end + 6)]
  const count = file.readUInt16LE(end + 10)
  const directory = file.readUInt32LE(end + 16)
  if (disk !== 0 || diskOfDirectory !== 0 || file.readUInt16LE(end + 20) !== 0) throw loose()
  if (file.readUInt16LE(end + 8) !== count) throw loose()
  if (count > maxEntries)
    throw new PlanTooLarge(`its archive has more than ${maxEntries.toLocaleString('en')} files`)
  if (directory + file.readUInt32LE(end + 12) !== end) throw loose()

  const entries: ZipEntry[] = []
  const names = new Set<string>()
  let at = directory
  let local = 0
  for (let index = 0; index < count; index += 1) {
    if (at + centralBytes > end || file.readUInt32LE(at) !== signatures.central) throw loose()
    const header = readHeader(file, at)
    if (header.end > end || header.localAt !== local) throw loose()
    if (names.has(header.name)) throw new PlanForged('an entry stands twice in its archive')
    names.add(header.name)
    const { data, next } = findData(file, header, directory)
    entries.push({ name: header.name, read: (maxBytes) => inflate(data, header, maxBytes) })
    at = header.end
    local = next
  }
  if (at !== end || local !== directory) throw loose()
  return entries
}

type Header = ReturnType<typeof readHeader>

function readHeader(file: Buffer, at: number) {
  const flags = file.readUInt16LE(at + 8)
  const method = file.readUInt16LE(at + 10)
  const nameLength = file.readUInt16LE(at + 28)
  const end = at + centralBytes + nameLength + file.readUInt16LE(at + 30)
  if ((flags & ~knownFlags) !== 0 || (method !== 0 && method !== 8)) throw loose()
  // A comment, or another disk.
  if (file.readUInt16LE(at + 32) !== 0 || file.readUInt16LE(at + 34) !== 0) throw loose()
  return {
    flags,
    method,
    crc: file.readUInt32LE(at + 16),
    compressed: file.readUInt32LE(at + 20),
    size: file.readUInt32LE(at + 24),
    localAt: file.readUInt32LE(at + 42),
    name: file.toString('utf8', at + centralBytes, at + centralBytes + nameLength),
    rawName: file.subarray(at + centralBytes, at + centralBytes + nameLength),
    end,
  }
}

function findData(file: Buffer, header: Header, directory: number): { data: Buffer; next: number } {
  const at = header.localAt
  if (at + localBytes > directory || file.readUInt32LE(at) !== signatures.local) throw loose()
  const nameLength = file.readUInt16LE(at + 26)
  const name = file.subarray(at + localBytes, at + localBytes + nameLength)
  if (!name.equals(header.rawName)) throw loose()
  if (file.readUInt16LE(at + 6) !== header.flags || file.readUInt16LE(at + 8) !== header.method)
    throw loose()
  const start = at + localBytes + nameLength + file.readUInt16LE(at + 28)
  const dataEnd = start + header.compressed
  const next = dataEnd + ((header.flags & 8) === 0 ? 0 : descriptorBytes)
  if (next > directory) throw loose()
  if (next !== dataEnd && file.readUInt32LE(dataEnd) !== signatures.descriptor) throw loose()
  return { data: file.subarray(start, dataEnd), next }
}

function inflate(data: Buffer, { method, size, crc }: Header, maxBytes: number): Buffer {
  if (size > maxBytes)
    throw new PlanTooLarge(`it takes more than ${Math.floor(maxBytes / 1024 ** 2)} MiB unpacked`)
  const content = method === 0 ? data : inflateBounded(data, size)
  if (content.length !== size || crc32(content) !== crc) throw loose()
  return content
}

function inflateBounded(data: Buffer, size: number): Buffer {
  try {
    // A zip bomb understates its size; no more than that is unpacked.
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) })
  } catch {
    throw loose()
  }
}

const loose = () => new PlanForged('its archive is not as OpenTofu writes it')
