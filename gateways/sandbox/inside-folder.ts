import { constants } from 'node:fs'
import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises'
import { invalid } from '../../domain/errors.ts'
import { fileTooLarge, notOwnFile, unusableFile, type Place } from './unusable-file.ts'

/** Reads and writes below a folder in which untrusted code may have set traps. */
export type InsideFolder = {
  write: (path: string, content: string | Buffer) => Promise<void>
  makeFolder: (path: string) => Promise<void>
  read: (path: string, maxBytes: number) => Promise<Buffer | undefined>
  /** Throws unless each step of the path is a real folder. */
  requireFolder: (path: string) => Promise<void>
}

/**
 * The worker is root and a step owns this folder, so a planted symbolic link (`out` → `/etc`) could make the
 * worker read or overwrite the host's files. Each part of a path is therefore opened below the descriptor of
 * the part before it, without following links, so that a link swapped in between two calls has no effect.
 */
export function insideFolder(root: string, owner: number | undefined): InsideFolder {
  return {
    async write(path, content) {
      const { folders, name } = splitPath(path)
      await below(root, folders, async (folder) => {
        const place = { path: `${folder}/${name}`, shown: shownAs(path), wanted: 'file' } as const
        try {
          // Replaced, never opened for writing: the old file may be a hard link, a pipe or shared.
          await unlink(place.path).catch(ignoreMissing)
          const file = await open(place.path, writeFlags, 0o600)
          try {
            await file.writeFile(content)
            if (owner !== undefined) await file.chown(owner, owner)
          } finally {
            await file.close()
          }
        } catch (error) {
          throw await unusableFile(error, place)
        }
      })
    },

    async makeFolder(path) {
      const parts = partsOf(path)
      for (const [index, name] of parts.entries())
        await below(root, parts.slice(0, index), async (folder) => {
          const made = await mkdir(`${folder}/${name}`, 0o700).then(
            () => true,
            (error: NodeJS.ErrnoException) => {
              if (error.code !== 'EEXIST') throw error
              return false
            },
          )
          if (made && owner !== undefined) await chownFolder(`${folder}/${name}`, owner)
        })
      await below(root, parts, async () => {})
    },

    async read(path, maxBytes) {
      const { folders, name } = splitPath(path)
      return below(root, folders, async (folder) => {
        const place = { path: `${folder}/${name}`, shown: shownAs(path), wanted: 'file' } as const
        try {
          return await readRegular(place, maxBytes)
        } catch (error) {
          throw await unusableFile(error, place)
        }
      }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
    },

    async requireFolder(path) {
      await below(root, partsOf(path), async () => {})
    },
  }
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK } = constants
const writeFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
const hasProc = process.platform === 'linux'

/** Opens each folder below the previous one, then calls `use` with a path of the last one. */
export async function below<T>(
  root: string,
  folders: readonly string[],
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const opened: FileHandle[] = []
  try {
    // /proc/self/fd/N is the open folder itself (openat), whatever its name refers to by now.
    const enter = async (path: string) => {
      const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      opened.push(handle)
      return hasProc ? `/proc/self/fd/${handle.fd}` : path
    }
    let at = await enter(root)
    for (const [index, name] of folders.entries()) {
      const path = `${at}/${name}`
      const shown = folders.slice(0, index + 1).join('/')
      at = await enter(path).catch(async (error: unknown) => {
        throw await unusableFile(error, { path, shown, wanted: 'folder' })
      })
    }
    return await use(at)
  } finally {
    await Promise.all(opened.map((handle) => handle.close()))
  }
}

async function readRegular(place: Place, maxBytes: number): Promise<Buffer> {
  // Without O_NONBLOCK a planted pipe would block the worker for ever.
  const file = await open(place.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const info = await file.stat()
    // A file with a second name may be another's: making a hard link needs no right to read.
    if (!info.isFile() || info.nlink !== 1) throw notOwnFile(info, place)
    if (info.size > maxBytes) throw fileTooLarge(place, maxBytes)
    // It may still grow, and a sparse file's size is misleading, so the limit is on what is read.
    const content = Buffer.alloc(info.size)
    let length = 0
    while (length < content.length) {
      const { bytesRead } = await file.read(content, length, content.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return content.subarray(0, length)
  } finally {
    await file.close()
  }
}

async function chownFolder(path: string, owner: number): Promise<void> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    await handle.chown(owner, owner)
  } finally {
    await handle.close()
  }
}

export function splitPath(path: string): { folders: string[]; name: string } {
  const parts = partsOf(path)
  const name = parts.pop()
  if (name === undefined) throw trap()
  return { folders: parts, name }
}

function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (path.startsWith('/') || path.includes('\0') || parts.includes('..')) throw trap()
  return parts
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

const shownAs = (path: string) => partsOf(path).join('/')
const trap = () => invalid('This path leaves the work folder')
