import { inflateSync } from 'node:zlib'
import { conflict } from '../../domain/errors.ts'

export const packLimits = {
  objects: 200_000,
  objectBytes: 128 * 1_048_576,
  unpackedBytes: 1024 * 1_048_576,
}
/** git's own limit of a chain of deltas. */
const maxDepth = 4_095

/**
 * Checks the pack in an answer of `git-upload-pack` against limits, before a library unpacks it in memory.
 * An attacker may choose the host: 1 MiB of zlib unpacks to 1 GiB, and a delta of a few bytes copies its
 * base thousands of times (gitformat-pack, gitprotocol-pack).
 */
export function checkPack(answer: Buffer, limits = packLimits): void {
  const pack = packIn(answer)
  if (!pack) return
  const count = pack.readUInt32BE(8)
  if (count > limits.objects) throw tooLarge()
  const depths = new Map<number, number>()
  let [at, total] = [12, 0]
  for (let object = 0; object < count; object += 1) {
    const { type, size, dataAt, baseAt } = headerAt(pack, at)
    if (size > limits.objectBytes) throw tooLarge()
    const { data, end } = inflateAt(pack, dataAt, size)
    const unpacked = type === 6 || type === 7 ? targetSize(data) : size
    // A base of anywhere else would be read by the library as an object that nothing here has seen.
    if (baseAt !== undefined && !depths.has(baseAt))
      throw new Error('a delta of the pack has no base')
    const depth = baseAt === undefined ? 0 : (depths.get(baseAt) ?? 0) + 1
    total += unpacked + size
    if (unpacked > limits.objectBytes || total > limits.unpackedBytes || depth > maxDepth)
      throw tooLarge()
    depths.set(at, depth)
    at = end
  }
}

const tooLarge = () =>
  conflict('git_repository_too_large', 'The repository unpacks to more than is read of one.')

/** The bytes of side-band 1, or what follows the lines where the host has no side-bands. */
function packIn(answer: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; at + 4 <= answer.length;) {
    const word = answer.toString('latin1', at, at + 4)
    if (word === 'PACK') {
      parts.push(answer.subarray(at))
      break
    }
    if (!/^[0-9a-f]{4}$/i.test(word)) return undefined
    const length = Number.parseInt(word, 16)
    if (length > 4 && answer[at + 4] === 1) parts.push(answer.subarray(at + 5, at + length))
    at += Math.max(4, length)
  }
  const pack = Buffer.concat(parts)
  return pack.length >= 12 && pack.toString('latin1', 0, 4) === 'PACK' ? pack : undefined
}

function headerAt(pack: Buffer, start: number) {
  let at = start
  const next = () => {
    const byte = pack[at]
    if (byte === undefined) throw new Error('the pack is cut short')
    at += 1
    return byte
  }
  let byte = next()
  const type = (byte >> 4) & 7
  let size = byte & 15
  for (let factor = 16; byte & 128; factor *= 128) {
    byte = next()
    size += (byte & 127) * factor
  }
  if (type === 7) return { type, size, dataAt: at + 20, baseAt: undefined }
  if (type !== 6) return { type, size, dataAt: at, baseAt: undefined }
  byte = next()
  let back = byte & 127
  while (byte & 128) {
    byte = next()
    back = (back + 1) * 128 + (byte & 127)
  }
  return { type, size, dataAt: at, baseAt: start - back }
}

function inflateAt(pack: Buffer, at: number, size: number): { data: Buffer; end: number } {
  // With `info` it also tells how much of the input it used, which its type does not know.
  const { buffer, engine } = inflateSync(pack.subarray(at), {
    info: true,
    maxOutputLength: Math.max(1, size),
  }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
  if (buffer.length !== size) throw new Error('an object of the pack has another size')
  return { data: buffer, end: at + engine.bytesWritten }
}

/** A delta begins with the sizes of what it is made from and of what it makes. */
function targetSize(delta: Buffer): number {
  let at = 0
  const number = () => {
    let [value, factor] = [0, 1]
    for (let byte = 128; byte & 128; factor *= 128) {
      byte = delta[at] ?? 0
      at += 1
      value += (byte & 127) * factor
    }
    return value
  }
  number()
  return number()
}
