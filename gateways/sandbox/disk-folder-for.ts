import { join, resolve } from 'node:path'
import { workFolderFor } from './work-folder-for.ts'

/**
 * As `workFolderFor`, but on a disk: below /run is memory. Only root can write to /var/lib, so no other user of the
 * host can be there first. Not `/var/lib/cloud-control/<hash>`: the embedded PostgreSQL may have its database there
 * (engines/postgres-home.ts), and this folder is removed at each stop.
 */
export function diskFolderFor(dataDir: string): string {
  const inMemory = workFolderFor(dataDir)
  return inMemory.startsWith('/run/cloud-control/')
    ? inMemory.replace('/run/cloud-control/', '/var/lib/cloud-control/work-')
    : join(resolve(dataDir), 'sandbox-on-disk')
}
