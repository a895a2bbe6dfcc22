import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { removeLeftovers } from './work-folder.ts'

/** Leaves nothing of a stopped service's sandboxes on the host: no mount, no copy of a program. */
export async function removeWorkDir(workDir: string): Promise<void> {
  if (!existsSync(workDir)) return
  await removeLeftovers({ workDir, cgroups: null })
  await rm(workDir, { recursive: true, force: true })
}
