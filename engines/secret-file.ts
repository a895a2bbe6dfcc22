import { readFileSync, writeFileSync } from 'node:fs'

/** Reads a secret, or creates it with mode 0600. It never overwrites, so two starts read the same one. */
export function secretFile(path: string, make: () => string): string {
  try {
    writeFileSync(path, `${make()}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return readFileSync(path, 'utf8').trim()
}
