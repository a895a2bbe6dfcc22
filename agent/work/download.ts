import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { assertRoom } from '../disk/room.ts'
import { freeBuffers } from '../disk/free-buffers.ts'
import { errnoOf, messageOf, refuseRelease, Refusal } from '../faults.ts'
import type { Say } from '../say.ts'
import { createBackoff } from '../service/backoff.ts'
import { readAnswer, ServiceAway } from '../service/call-service.ts'
import type { Release } from '../service/read-claim.ts'
import type { Service } from '../service/service.ts'

/** Tries in a row that brought no byte. A service that is away for longer ends the lease. */
const maxEmptyTries = 20

/**
 * Fetches an artifact into a file, from the byte on that is missing, and compares its digest. Bytes go to the disk as
 * they come. A digest that differs removes nothing here: the caller removes the file.
 */
export async function download(
  release: Release,
  path: string,
  {
    service,
    route,
    signal,
    onLost,
    say,
  }: { service: Service; route: string; signal: AbortSignal; onLost: () => void; say: Say },
): Promise<void> {
  const { digest, sizeBytes } = release
  const backoff = createBackoff({ firstMs: 500, mostMs: 10_000 })
  const part = await openPart(path, sizeBytes, signal)
  try {
    assertRoom(path, { bytes: sizeBytes - part.length, files: 1 })
    for (let empty = 0; part.length < sizeBytes;) {
      const before = part.length
      try {
        const message = await service.get(route, rangeOf(digest, part.length), signal)
        await receive(message, part, { sizeBytes, onLost, signal })
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ServiceAway)) throw error
        empty = part.length > before ? 0 : empty + 1
        if (empty >= maxEmptyTries)
          throw new Refusal('download_failed', 'the service sends no bytes')
        say('warn', 'a download was cut', { why: messageOf(error), bytes: part.length })
        await backoff.wait(signal, error.retryAfterMs)
        signal.throwIfAborted()
      }
    }
  } finally {
    closeSync(part.file)
  }
  if (`sha256:${part.hash.digest('hex')}` !== digest)
    throw refuseRelease('digest_mismatch', 'the bytes have another digest than the release')
}

type Part = { file: number; length: number; hash: Hash }

/** What an earlier try left is hashed, since its bytes are a part of the digest. */
async function openPart(path: string, sizeBytes: number, signal: AbortSignal): Promise<Part> {
  const hash = createHash('sha256')
  const kept = existsSync(path) && statSync(path).size <= sizeBytes
  let length = 0
  if (kept)
    for await (const piece of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
      hash.update(piece)
      length += piece.length
      freeBuffers(piece.length)
    }
  return { file: openSync(path, kept ? 'a' : 'w', 0o600), length, hash }
}

/** `If-Range`: where the service has other bytes under this name, it sends all of them. */
const rangeOf = (digest: string, from: number): Record<string, string> =>
  from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': `"${digest}"` }

async function receive(
  message: IncomingMessage,
  part: Part,
  { sizeBytes, onLost, signal }: { sizeBytes: number; onLost: () => void; signal: AbortSignal },
): Promise<void> {
  const status = message.statusCode ?? 0
  if (status !== 206 && status !== 200) throw await refusalOf(message, onLost, signal)
  if (status === 206 && !message.headers['content-range']?.startsWith(`bytes ${part.length}-`)) {
    message.destroy()
    throw new ServiceAway('the service sent another range')
  }
  if (status === 200 && part.length > 0) restart(part)
  try {
    for await (const piece of message as AsyncIterable<Buffer>) {
      if (part.length + piece.length > sizeBytes)
        throw refuseRelease('digest_mismatch', 'the service sends more bytes than the release has')
      for (let at = 0; at < piece.length;) at += writeSync(part.file, piece, at)
      part.hash.update(piece)
      part.length += piece.length
      freeBuffers(piece.length)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT')
      throw new Refusal('disk_full', 'the disk filled up while the artifact was fetched')
    // The connection was cut. What came is kept, and the rest is asked for.
    if (!(error instanceof Refusal)) throw new ServiceAway(messageOf(error))
    throw error
  } finally {
    message.destroy()
  }
}

function restart(part: Part): void {
  ftruncateSync(part.file, 0)
  part.length = 0
  part.hash = createHash('sha256')
}

async function refusalOf(
  message: IncomingMessage,
  onLost: () => void,
  signal: AbortSignal,
): Promise<Error> {
  const { status, code } = await readAnswer(message).catch((error: unknown) => {
    throw error instanceof ServiceAway ? error : new ServiceAway(messageOf(error))
  })
  if (status === 409 && code === 'lease_lost') onLost()
  signal.throwIfAborted()
  // Of the agent and not of the artifact: a person mends it, or the lease ends.
  if ([401, 403, 426].includes(status)) return new ServiceAway(`the service answered ${status}`)
  return new Refusal(code === '' ? 'download_failed' : code, `the service answered ${status}`)
}
