import { existsSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isAnyClaimed } from './claim-name.ts'
import { removeLeftovers, usersOf } from './work-folder.ts'

/** What sandboxes and the reader of bills make in their work folder. */
const ownNames = /^(?:bin|etc|slots|slot-.+|reader-.+|unfinished-.+|users)$/

/**
 * Removes everything that a stopped service's sandboxes left on the host: mounts and copies of programs. Whatever else
 * is in the folder stays, and the folder with it. Nothing is removed while another worker of this host uses the folder.
 */
export async function removeWorkDir(workDir: string): Promise<void> {
  if (!existsSync(workDir)) return
  if (await isAnyClaimed(usersOf(workDir))) return
  await removeLeftovers({ workDir, cgroups: null })
  const own = (await readdir(workDir)).filter((name) => ownNames.test(name))
  for (const name of own) await rm(join(workDir, name), { recursive: true, force: true })
  await rmdir(workDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error
  })
}
