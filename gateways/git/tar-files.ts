const blockBytes = 512
/** Of a header that carries a longer name (POSIX pax, GNU `L`). Git's own paths are far shorter. */
const maxHeaderBytes = 64 * 1024
const maxEntries = 200_000

export type TarFile = { path: string; content: Buffer }

/**
 * The plain files of a tar stream (POSIX ustar and pax, with GNU's long names) that are wanted, one
 * after the other. The archive may be made by an attacker: nothing is written anywhere, links and
 * devices are passed over, a path is only compared with those that are wanted, and what is not
 * wanted is dropped as it comes, so the memory holds one wanted file.
 */
export async function* tarFiles(
  stream: AsyncIterable<Buffer>,
  wants: (path: string, bytes: number) => boolean,
): AsyncGenerator<TarFile> {
  const bytes = reader(stream)
  let longName: string | undefined
  for (let entries = 0; entries < maxEntries; entries += 1) {
    const header = await bytes.take(blockBytes)
    if (!header || header.every((byte) => byte === 0)) return
    assertChecksum(header)
    const size = sizeOf(header)
    const padding = (blockBytes - (size % blockBytes)) % blockBytes
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'x' || type === 'L') {
      if (size > maxHeaderBytes) throw new Error('a header of the archive is too large')
      const text = await bytes.take(size + padding)
      if (!text) throw cutShort()
      longName = nameIn(type, text.subarray(0, size)) ?? longName
      continue
    }
    const path = longName ?? nameOf(header)
    // A global header is of no file, so a name that came before it is still to be used.
    if (type !== 'g') longName = undefined
    const isFile = type === '0' || type === '\0'
    if (!isFile || !wants(path, size)) {
      await bytes.skip(size + padding)
      continue
    }
    const content = await bytes.take(size + padding)
    if (!content) throw cutShort()
    yield { path, content: content.subarray(0, size) }
  }
}

const cutShort = () => new Error('the archive is cut short')

function reader(stream: AsyncIterable<Buffer>) {
  const source = stream[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async () => {
    const { value, done } = await source.next()
    if (done) return false
    rest = value
    return true
  }
  return {
    /** Undefined where the stream ends before. */
    async take(count: number): Promise<Buffer | undefined> {
      const parts: Buffer[] = []
      for (let left = count; ;) {
        const part = rest.subarray(0, left)
        rest = rest.subarray(part.length)
        parts.push(part)
        left -= part.length
        if (left === 0) return Buffer.concat(parts)
        if (!(await more())) return undefined
      }
    },
    async skip(count: number): Promise<void> {
      for (let left = count; ;) {
        const length = Math.min(left, rest.length)
        rest = rest.subarray(length)
        left -= length
        if (left === 0 || !(await more())) return
      }
    },
  }
}

/** Of another file than a tar the numbers mean nothing. */
function assertChecksum(header: Buffer): void {
  const told = Number.parseInt(textOf(header.subarray(148, 156)), 8)
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (told !== sum) throw new Error('the archive is no tar')
}

/** Octal digits. GNU's binary sizes are for files above 8 GiB, which are none of ours. */
function sizeOf(header: Buffer): number {
  const text = textOf(header.subarray(124, 136)).trim()
  if (!/^[0-7]{1,12}$/.test(text)) throw new Error('a size in the archive is not understood')
  return Number.parseInt(text, 8)
}

function nameOf(header: Buffer): string {
  const prefix = textOf(header.subarray(345, 500))
  const name = textOf(header.subarray(0, 100))
  const isUstar = header.toString('latin1', 257, 262) === 'ustar'
  return isUstar && prefix !== '' ? `${prefix}/${name}` : name
}

function nameIn(type: string, text: Buffer): string | undefined {
  if (type === 'L') return textOf(text)
  // Records of "length key=value\n", whose length counts bytes.
  for (let at = 0; at < text.length;) {
    const [digits] = /^\d{1,9}/.exec(text.toString('latin1', at, at + 9)) ?? []
    const length = Number(digits)
    if (!digits || length <= digits.length) return undefined
    const record = text.toString('utf8', at + digits.length + 1, at + length - 1)
    if (record.startsWith('path=')) return record.slice('path='.length)
    at += length
  }
  return undefined
}

const textOf = (field: Buffer): string => {
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? field.length : end)
}
