/** A message between a worker and its runner: a small JSON header and a body. */
export type Header = { kind: string } & Record<string, unknown>
export type Frame = { header: Header; body: Buffer }

/** Limits what one frame costs the receiver's event loop and memory. */
export const maxHeaderBytes = 256 * 1024
export const maxBodyBytes = 256 * 1024

/** The other side broke the protocol. The message has none of its bytes, which may be a tenant's. */
export class BadFrame extends Error {}

/** The other side died while sending. */
export class FrameCut extends BadFrame {}

const prefixBytes = 8
const nothing = Buffer.alloc(0)

/** What stands before the body: two lengths (32 bits each, big-endian) and the header as JSON. */
export function encodeHead(header: Header, body: Buffer = nothing): Buffer {
  const json = Buffer.from(JSON.stringify(header))
  if (json.length > maxHeaderBytes || body.length > maxBodyBytes)
    throw new BadFrame(`A frame of kind ${header.kind} is over its bound`)
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32BE(json.length, 0)
  prefix.writeUInt32BE(body.length, 4)
  return Buffer.concat([prefix, json])
}

/** The frames of a stream, one at a time: the stream is paused while one is handled. */
export async function* readFrames(source: AsyncIterable<unknown>): AsyncGenerator<Frame> {
  let parts: Buffer[] = []
  let length = 0
  let needed = prefixBytes
  let sizes: { header: number; body: number } | undefined
  for await (const chunk of source) {
    // No encoding is set on the stream, so its chunks are buffers.
    parts.push(chunk as Buffer)
    length += (chunk as Buffer).length
    while (length >= needed) {
      const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      parts = [bytes]
      sizes ??= sizesOf(bytes)
      needed = prefixBytes + sizes.header + sizes.body
      if (length < needed) break
      const bodyAt = prefixBytes + sizes.header
      yield {
        header: parseHeader(bytes.subarray(prefixBytes, bodyAt)),
        body: bytes.subarray(bodyAt, needed),
      }
      parts = [bytes.subarray(needed)]
      length -= needed
      needed = prefixBytes
      sizes = undefined
    }
  }
  if (length > 0) throw new FrameCut('The stream ended within a frame')
}

function sizesOf(prefix: Buffer): { header: number; body: number } {
  const sizes = { header: prefix.readUInt32BE(0), body: prefix.readUInt32BE(4) }
  if (sizes.header > maxHeaderBytes || sizes.body > maxBodyBytes)
    throw new BadFrame('A frame is over its bound')
  return sizes
}

function parseHeader(json: Buffer): Header {
  let header: unknown
  try {
    header = JSON.parse(json.toString())
  } catch {
    throw new BadFrame('A header is no JSON')
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw new BadFrame('A header is no object')
  const { kind } = header as Record<string, unknown>
  if (typeof kind !== 'string') throw new BadFrame('A header has no kind')
  return { ...header, kind }
}
