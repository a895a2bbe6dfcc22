import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BillFile, FetchProgress } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { createPace } from './pace.ts'

/** A part of a file, as the storage sent it. */
export type Piece = {
  status: number
  etag: string | undefined
  contentRange: string | undefined
  body: AsyncIterable<unknown>
}
/** Asks for the bytes from `from` to `last`, if the file still has this etag. Throws `CloudFault`s. */
export type AskForPiece = (asked: Asked) => Promise<Piece>
export type Asked = { from: number; last: number; signal: AbortSignal }

/** Of one request, which has to end within `pieceTimeoutMs`: the rest is asked for again. */
const pieceBytes = 64 * 1024 ** 2
export const pieceTimeoutMs = 120_000
/** Of one write to the disk. One for each chunk of the connection, of 64 KiB, is a third slower. */
const writeBytes = 1024 ** 2
/** Tries in a row that brought little. */
const maxFailures = 5
const littleBytes = 1024 ** 2

/**
 * Writes a file of the storage to `path`, from where the file at `path` ends, in pieces that go to the disk as
 * they arrive. What breaks off is asked for again from there.
 */
export async function download(
  file: BillFile,
  path: string,
  { ask, progress }: { ask: AskForPiece; progress: FetchProgress },
): Promise<void> {
  const { pace = createPace() } = progress
  pace.begin()
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  const handle = await open(path, flags, 0o600)
  try {
    let { size: at } = await handle.stat()
    // Not the beginning of this file, whatever it is.
    if (at > file.size) {
      await handle.truncate(0)
      progress.onRemoved?.(at)
      at = 0
    }
    for (let failures = 0; at < file.size;) {
      const begunAt = at
      await progress.beforePiece?.()
      try {
        const piece = await askFor({ file, from: at, ask }, progress.signal)
        at = await write(piece, { handle, at, last: lastOf(file, at), progress })
        failures = 0
      } catch (error) {
        progress.signal.throwIfAborted()
        if (!isTransient(error)) throw error
        ;({ size: at } = await handle.stat())
        failures = at - begunAt >= littleBytes ? 0 : failures + 1
        if (failures >= maxFailures) throw error
        await sleep(100 * 2 ** failures, undefined, { signal: progress.signal })
      }
      pace.add(at - begunAt)
      pace.check()
    }
  } finally {
    await handle.close()
  }
}

const lastOf = ({ size }: BillFile, from: number): number => Math.min(size, from + pieceBytes) - 1

/** The piece, if it is one of the file that was found: half of it must not be joined with half of another. */
async function askFor(
  { file, from, ask }: { file: BillFile; from: number; ask: AskForPiece },
  signal: AbortSignal,
): Promise<Piece> {
  const piece = await ask({ from, last: lastOf(file, from), signal })
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(piece.contentRange ?? '')
  if (piece.etag !== file.etag || (range && Number(range[2]) !== file.size)) throw changed()
  // A storage without ranges sends the whole file, which can only be the first piece.
  const begins = piece.status === 206 ? Number(range?.[1] ?? Number.NaN) : 0
  if (begins === from) return piece
  throw new CloudFault('unreachable', 'The storage does not send a file from where it broke off.')
}

async function write(
  piece: Piece,
  to: { handle: FileHandle; at: number; last: number; progress: FetchProgress },
): Promise<number> {
  let { at } = to
  // Of a storage without ranges, more comes than was asked for; it is not read.
  const endsAt = to.last + 1
  const held = Buffer.allocUnsafe(Math.min(writeBytes, endsAt - at))
  let filled = 0
  const flush = async () => {
    if (filled === 0) return
    await to.handle.appendFile(held.subarray(0, filled))
    at += filled
    to.progress.onBytes(filled)
    filled = 0
  }
  try {
    for await (const chunk of bytesOf(piece.body)) {
      const wanted = chunk.subarray(0, endsAt - at - filled)
      for (let taken = 0; taken < wanted.length;) {
        const copied = wanted.copy(held, filled, taken)
        taken += copied
        filled += copied
        if (filled === held.length) await flush()
      }
      if (wanted.length < chunk.length) break
    }
  } finally {
    // What came before a break is kept.
    await flush()
  }
  if (at === to.at) throw new CloudFault('unreachable', 'The storage sent nothing of the file.')
  return at
}

/** The clients' streams of bytes. Each breaks off with an error of its own. */
async function* bytesOf(body: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer
  } catch {
    throw new CloudFault('unreachable', 'The storage broke off in the middle of a file.')
  }
}

export const changed = (): CloudFault =>
  new CloudFault('changed', 'A file of the bill was replaced while it was read.')

/** What another try may mend. A full disk is none of these. */
const isTransient = (error: unknown): boolean =>
  error instanceof CloudFault && ['unreachable', 'throttled'].includes(error.kind)
