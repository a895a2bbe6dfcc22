import { setImmediate as others } from 'node:timers/promises'

/** 2 ms of reading, and 12 ms of what is made to be read slowly. */
const partBytes = 512 * 1_024

/** Works through many bytes in parts. Other requests have their turn between them. */
export async function inParts(
  body: readonly Buffer[],
  work: (part: Buffer) => void,
): Promise<void> {
  let bytes = 0
  for (const piece of body)
    for (let at = 0; at < piece.length; at += partBytes) {
      const part = piece.subarray(at, at + partBytes)
      bytes += part.length
      if (bytes > partBytes) {
        await others()
        bytes = part.length
      }
      work(part)
    }
}
