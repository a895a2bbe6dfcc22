export type TarEntry = { path: string; content?: string | Buffer; type?: string; size?: number }

/**
 * A tar file of these entries (POSIX ustar, with a pax header before a long name). Entries are not
 * checked, so a test can make an invalid file.
 */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = '0', size }) => {
    const bytes = Buffer.from(content)
    const long = Buffer.byteLength(path) > 100
    const pax = long ? paxOf(path) : undefined
    return [
      ...(pax ? [headerOf({ path: 'pax', type: 'x', size: pax.length }), padded(pax)] : []),
      headerOf({ path: long ? path.slice(0, 100) : path, type, size: size ?? bytes.length }),
      padded(bytes),
    ]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

function paxOf(path: string): Buffer {
  const rest = ` path=${path}\n`
  const bare = Buffer.byteLength(rest)
  let length = bare
  while (length !== bare + String(length).length) length = bare + String(length).length
  return Buffer.from(`${length}${rest}`)
}

function headerOf({ path, type, size }: { path: string; type: string; size: number }): Buffer {
  const header = Buffer.alloc(512)
  header.write(path, 0, 100)
  header.write('0000644\0', 100)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
