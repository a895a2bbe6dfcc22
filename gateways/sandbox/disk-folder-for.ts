import { join, resolve } from 'node:path'
import { workFolderFor } from './work-folder-for.ts'

/**
 * As `workFolderFor`, but on a disk: below /run is memory. Only root can write to /var/lib, so no other user of the
 * host can be there first.
 */
export function diskFolderFor(dataDir: string): string {
  const inMemory = workFolderFor(dataDir)
  return inMemory.startsWith('/run/cloud-control/')
    ? inMemory.replace('/run/', '/var/lib/')
    : join(resolve(dataDir), 'sandbox-on-disk')
}
