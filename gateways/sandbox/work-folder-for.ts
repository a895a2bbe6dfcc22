import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'

/**
 * The folder of this data directory's workbenches. A root worker's slots have uids that cannot enter the data
 * directory, so theirs are below /run; one folder per data directory, so that two installations on a host do
 * not remove each other's.
 */
export function workFolderFor(dataDir: string): string {
  const isLinuxRoot = process.platform === 'linux' && process.getuid?.() === 0
  if (!isLinuxRoot) return join(resolve(dataDir), 'sandbox')
  const hash = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)
  return `/run/cloud-control/${hash}`
}
