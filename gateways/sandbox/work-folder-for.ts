import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

/**
 * Where this data directory's workbenches lie. A root worker's slots run under uids that
 * may not enter the data directory, so theirs lie below /run; one folder for each data
 * directory, so that two installations on a host do not clean up after each other.
 */
export function workFolderFor(dataDir: string): string {
  const isLinuxRoot = process.platform === 'linux' && process.getuid?.() === 0
  if (!isLinuxRoot) return join(resolve(dataDir), 'sandbox')
  const hash = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return `/run/cloud-control/${hash}`
}
