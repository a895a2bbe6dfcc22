import { constants } from 'node:fs'
import { chmod, chown, copyFile, link, lstat, rename, rm } from 'node:fs/promises'
import { below, splitPath } from './inside-folder.ts'
import { notOwnFile } from './unusable-file.ts'

type Folder = { root: string; owner: number | undefined }

/** Links a file of the host's into a work folder. On another disk, or one without links, it is copied. */
export async function placeFile(
  { root, owner }: Folder,
  path: string,
  hostPath: string,
): Promise<void> {
  const { folders, name } = splitPath(path)
  await below(root, folders, async (folder) => {
    const target = `${folder}/${name}`
    await link(hostPath, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV' && error.code !== 'EPERM' && error.code !== 'EMLINK') throw error
      await copyFile(hostPath, target, constants.COPYFILE_EXCL)
    })
    // The step reads it and cannot write to it; the folder keeps others out.
    if (owner !== undefined) await chmod(target, 0o444)
  })
}

/**
 * Moves a file that a step wrote out of its work folder. Only while no step runs: a step could replace the file
 * between the look and the move.
 */
export async function takeOutFile(
  { root, owner }: Folder,
  path: string,
  hostPath: string,
): Promise<void> {
  const { folders, name } = splitPath(path)
  await below(root, folders, async (folder) => {
    const source = `${folder}/${name}`
    const info = await lstat(source)
    // A link could name any file of the host's, and a second name would let the step write to it later.
    if (!info.isFile() || info.nlink !== 1)
      throw notOwnFile(info, { path: source, shown: path, wanted: 'file' })
    await rename(source, hostPath).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV') throw error
      await copyFile(source, hostPath)
      await rm(source)
    })
    if (owner !== undefined) await chown(hostPath, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
    await chmod(hostPath, 0o600)
  })
}
