import { CloudFault } from '../cloud-fault.ts'

/** A small document as text; undefined where it has more bytes than that, whatever a list said. */
export async function readWhole(
  body: AsyncIterable<unknown>,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      // The streams of the clouds' clients are of bytes.
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > maxBytes) return undefined
    }
  } catch {
    throw new CloudFault('unreachable', 'The storage broke off in the middle of a file.')
  }
  return Buffer.concat(chunks).toString()
}
