import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Reads a secret, or creates it with mode 0600. It never overwrites, so two starts read the same one. It is there
 * whole or not at all: an empty one, which a start that is killed would leave, would fail every later start.
 */
export function secretFile(path: string, make: () => string): string {
  if (existsSync(path)) return read(path)
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(unfinished, `${make()}\n`, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(unfinished, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
  return read(path)
}

const read = (path: string): string => readFileSync(path, 'utf8').trim()
