import { assertParsable } from './full-page.ts'

const maxRefusalBytes = 65_536

/** The answer to a request for a file that is refused, which the client library reads whole and parses. */
export async function refusalBody(body: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    // No encoding is set on the stream, so its chunks are buffers.
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > maxRefusalBytes) break
  }
  const read = Buffer.concat(chunks).subarray(0, maxRefusalBytes)
  assertParsable(read)
  return read
}
