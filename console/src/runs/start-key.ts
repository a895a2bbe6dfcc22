import { useState } from 'react'

/** One key a start: a click that is repeated because its answer was lost starts nothing twice. */
export function useStartKey() {
  const [key, setKey] = useState(newKey)
  return { key, renew: () => setKey(newKey()) }
}

/** `crypto.randomUUID` is only there over https or on localhost. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
