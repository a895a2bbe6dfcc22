import { useState } from 'react'

/** One idempotency key for each start, so that a retry after a lost response does not start a second run. */
export function useStartKey() {
  const [key, setKey] = useState(newKey)
  return { key, renew: () => setKey(newKey()) }
}

/** Not `crypto.randomUUID`, which exists only in a secure context (HTTPS or localhost). */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
