import { deflateRawSync } from 'node:zlib'

type Packed = { path: string; text: string; stored?: boolean; mode?: number; size?: number }

/** A ZIP archive as a program would write it. `size` is what it says, where that is a lie. */
export function zipOf(files: readonly Packed[]): Uint8Array<ArrayBuffer> {
  const [bodies, entries]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const { path, text, stored = false, mode = 0o100_644, size } of files) {
    const [name, plain] = [Buffer.from(path), Buffer.from(text)]
    const packed = stored ? plain : deflateRawSync(plain)
    const sizes = Buffer.alloc(8)
    sizes.writeUInt32LE(packed.length, 0)
    sizes.writeUInt32LE(size ?? plain.length, 4)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(stored ? 0 : 8, 8)
    sizes.copy(local, 18)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(stored ? 0 : 8, 10)
    sizes.copy(entry, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE((mode << 16) >>> 0, 38)
    entry.writeUInt32LE(at, 42)
    bodies.push(local, name, packed)
    entries.push(entry, name)
    at += 30 + name.length + packed.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return new Uint8Array(Buffer.concat([...bodies, directory, end]))
}

/** One tar entry and its blocks. */
export function tarEntry(path: string, text: string, kind = '0'): Buffer {
  const header = Buffer.alloc(512)
  const body = Buffer.from(text)
  header.write(path, 0, 100)
  header.write('0000644\0', 100)
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(kind, 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
}

export const tarOf = (entries: readonly Buffer[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat([...entries, Buffer.alloc(1_024)]))
