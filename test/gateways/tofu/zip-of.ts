import { deflateRawSync, crc32 } from 'node:zlib'

type Entry = { name: string; data: Buffer; method?: number; flags?: number }

/** A zip file as Go writes it, of which a test can change one part. */
export function zipOf(entries: readonly Entry[], { gap = 0, tail = 0 } = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, data, method = 8, flags = 8 } of entries) {
    const packed = method === 8 ? deflateRawSync(data) : data
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(method, 8)
    local.writeUInt16LE(name.length, 26)
    const descriptor = Buffer.alloc(16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(crc32(data), 4)
    descriptor.writeUInt32LE(packed.length, 8)
    descriptor.writeUInt32LE(data.length, 12)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(flags, 8)
    central.writeUInt16LE(method, 10)
    central.writeUInt32LE(crc32(data), 16)
    central.writeUInt32LE(packed.length, 20)
    central.writeUInt32LE(data.length, 24)
    central.writeUInt16LE(name.length, 28)
    central.writeUInt32LE(at, 42)
    const part = Buffer.concat([local, Buffer.from(name), packed, descriptor, Buffer.alloc(gap)])
    parts.push(part)
    directory.push(central, Buffer.from(name))
    at += part.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, central, end, Buffer.alloc(tail)])
}
