import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { AppError } from '../../domain/errors.ts'

/** A path to open, its name for the author, and what must be there. */
export type Place = { path: string; shown: string; wanted: 'file' | 'folder' }

const unusable = 'unusable_file'
/** The kernel's errors for a path of another kind than expected. */
const wrongKind = new Set([
  'ELOOP',
  'ENOTDIR',
  'EISDIR',
  'ENXIO',
  'ENODEV',
  'EEXIST',
  'EACCES',
  'EPERM',
])
const noRoom = new Set(['ENOSPC', 'EDQUOT'])

/** Names for its author what a step left instead of a file or folder; other errors stay as they are. */
export async function unusableFile(thrown: unknown, place: Place): Promise<unknown> {
  if (!(thrown instanceof Error) || thrown instanceof AppError) return thrown
  // Errors of node:fs carry the kernel's code.
  const { code = '' } = thrown as NodeJS.ErrnoException
  if (noRoom.has(code))
    return new AppError('too_large', `The work folder has no room left for ${place.shown}`, {
      code: unusable,
    })
  if (!wrongKind.has(code)) return thrown
  // Looked at after the failure, for the message alone.
  const info = await lstat(place.path).catch(() => undefined)
  return info ? notOwnFile(info, place) : thrown
}

export function notOwnFile(info: Stats, { shown, wanted }: Place): AppError {
  const rule =
    wanted === 'file'
      ? "a run's own files must be regular files"
      : "a run's own folders must be folders"
  return new AppError('invalid', `${shown} is ${kindOf(info, wanted)}; ${rule}`, {
    code: unusable,
  })
}

export const fileTooLarge = ({ shown }: Place, maxBytes: number) =>
  new AppError('too_large', `${shown} is larger than ${sizeOf(maxBytes)}`, { code: unusable })

/**
 * The message of such an error, else undefined. Without `config/`, the workbench's folder for the
 * configuration, which its author does not know.
 */
export const messageOfUnusableFile = (error: unknown): string | undefined =>
  error instanceof AppError && error.code === unusable
    ? error.message.replace(/^config\//, '')
    : undefined

function kindOf(info: Stats, wanted: Place['wanted']): string {
  if (info.isSymbolicLink()) return 'a symbolic link'
  if (info.isFIFO()) return 'a named pipe'
  if (info.isSocket()) return 'a socket'
  if (info.isBlockDevice() || info.isCharacterDevice()) return 'a device'
  if (info.isDirectory()) return wanted === 'file' ? 'a folder' : 'a folder that cannot be entered'
  if (info.nlink > 1) return 'a hard link'
  return wanted === 'folder' ? 'a file' : 'a file that cannot be read'
}

const mebibyte = 1024 * 1024
const sizeOf = (bytes: number) =>
  bytes >= mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${bytes} bytes`
