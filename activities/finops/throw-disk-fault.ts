import { AppError, conflict } from '../../domain/errors.ts'

/** A full disk does not become empty by trying again, and what lies on it keeps others from theirs. */
export function throwDiskFault(error: unknown): never {
  if (error instanceof Error && !(error instanceof AppError) && isOfDisk(error))
    throw conflict('bill_disk_full', 'The disk of the worker is full.')
  throw error
}

/** Node has no name for EDQUOT, which is 122 on Linux. */
const isOfDisk = ({ code, errno }: NodeJS.ErrnoException): boolean =>
  code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG' || errno === -122
