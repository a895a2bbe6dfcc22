import { randomBytes } from 'node:crypto'

/** Short, unguessable, safe in a header and a log line. A caller's own request id is not taken over: it could be anything. */
export const newRequestId = (): string => randomBytes(12).toString('base64url')
