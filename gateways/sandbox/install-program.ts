import { randomBytes } from 'node:crypto'
import { chmod, copyFile, mkdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * A copy of this program where a slot's uid can go: below a root's home it could not even
 * be opened. Root owns the copy, so no step can change what the next one runs. It is made
 * once for each size and time of change, whole or not at all.
 */
export async function installProgram(source: string, workDir: string): Promise<string> {
  const real = await realpath(source)
  if (process.getuid?.() !== 0) return real

  const { size, mtimeMs, ino } = await stat(real)
  const folder = join(workDir, 'bin')
  const target = join(folder, `${basename(real)}-${size}-${Math.floor(mtimeMs)}-${ino}`)
  const known = await stat(target).catch(() => undefined)
  if (known?.size === size) return target

  await mkdir(folder, { recursive: true })
  // By name, for the process's umask takes off what mkdir is told.
  await chmod(folder, 0o711)
  const unfinished = `${target}.${randomBytes(6).toString('hex')}`
  try {
    await copyFile(real, unfinished)
    await chmod(unfinished, 0o755)
    await rename(unfinished, target)
  } finally {
    await rm(unfinished, { force: true })
  }
  return target
}
