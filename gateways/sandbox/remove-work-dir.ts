import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { removeLeftovers } from './work-folder.ts'

/** Removes everything that a stopped service's sandboxes left on the host: mounts and copies of programs. */
export async function removeWorkDir(workDir: string): Promise<void> {
  if (!existsSync(workDir)) return
  await removeLeftovers({ workDir, cgroups: null })
  await rm(workDir, { recursive: true, force: true })
}
