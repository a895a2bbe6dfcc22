import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/**
 * Whether this is a common password, ignoring case (NIST SP 800-63B 5.1.1.2). The list has those of an allowed
 * length; common-passwords.md names its source.
 */
export function isCommonPassword(password: string): boolean {
  known ??= readList()
  return known.has(password.toLowerCase())
}

// Read when first needed: a worker never needs it.
let known: ReadonlySet<string> | undefined

function readList(): ReadonlySet<string> {
  const file = new URL('common-passwords.txt.gz', import.meta.url)
  return new Set(gunzipSync(readFileSync(file)).toString().trimEnd().split('\n'))
}
