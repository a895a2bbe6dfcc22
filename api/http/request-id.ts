import { randomFillSync } from 'node:crypto'

const idBytes = 12
/** Random bytes for many requests at once: a call of the generator costs more than an id. */
const pool = Buffer.alloc(idBytes * 256)
let used = pool.length

/** Short, unguessable, safe in a header and a log line. A caller's own request id is ignored: it could be anything. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  return pool.toString('base64url', used - idBytes, used)
}
