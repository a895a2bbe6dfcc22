import { randomBytes } from 'node:crypto'
import { chmod, copyFile, mkdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * Copies a program so that steps can execute it and nobody can read it. The kernel makes a process of an
 * unreadable program non-dumpable: no other process of its uid can open its memory, descriptors or environment,
 * or trace it. So a provider cannot silence OpenTofu and print in its place.
 *
 * The copy is where a slot's uid can reach it: below root's home it could not. No step can change it: it is
 * mounted read-only, and a root worker's copy belongs to root. It is made atomically, once for each size and
 * time of change.
 */
export async function installProgram(source: string, workDir: string): Promise<string> {
  const real = await realpath(source)

  const { size, mtimeMs, ino } = await stat(real)
  const folder = join(workDir, 'bin')
  const target = join(folder, `${basename(real)}-${size}-${Math.floor(mtimeMs)}-${ino}`)
  const known = await stat(target).catch(() => undefined)
  if (known?.size === size && (known.mode & 0o777) === executableOnly) return target

  await mkdir(folder, { recursive: true })
  // Explicitly, because mkdir applies the umask.
  await chmod(folder, 0o711)
  const unfinished = `${target}.${randomBytes(6).toString('hex')}`
  try {
    await copyFile(real, unfinished)
    await chmod(unfinished, executableOnly)
    await rename(unfinished, target)
  } finally {
    await rm(unfinished, { force: true })
  }
  return target
}

/** For its owner too: a worker that is not root runs steps under its own uid. */
const executableOnly = 0o111
