import type { Multipart } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../../domain/errors.ts'

export type BillPart =
  | { kind: 'field'; name: string; value: string | undefined }
  | { kind: 'file'; name: string; fileName: string | undefined; pieces: AsyncIterable<Buffer> }

/** Boundaries and headers of the parts. */
const overheadBytes = 1024 ** 2
export const maxFiles = 100

/**
 * The parts of a multipart body (RFC 7578), one after the other, at most `maxBytes` of it in all. A body
 * that is cut off, or is none, throws: it must not pass for one that ended.
 */
export async function* billParts(
  request: FastifyRequest,
  maxBytes: number,
): AsyncGenerator<BillPart> {
  const { raw } = request
  // Before anything is read.
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes + overheadBytes)
    throw tooLarge(maxBytes)
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => undefined)
  let readBytes = 0
  const count = (piece: Buffer) => {
    readBytes += piece.length
    if (readBytes > maxBytes + overheadBytes) over.reject(tooLarge(maxBytes))
  }
  const parts = request.parts(limits)
  try {
    for (;;) {
      const next = parts.next()
      // Only now: before the parser reads, a listener would take the first bytes from it.
      if (!raw.listeners('data').includes(count)) raw.on('data', count)
      const { value: part, done } = await Promise.race([next, over.promise])
      if (done) break
      yield asPart(part, () => {
        if (readBytes > maxBytes + overheadBytes) throw tooLarge(maxBytes)
      })
    }
    if (!raw.readableEnded) throw cutOff()
  } catch (error) {
    throw asRefusal(error)
  } finally {
    raw.off('data', count)
  }
}

const limits = {
  // Whole, so that a name with a path in it is refused and not shortened.
  preservePath: true,
  throwFileSizeLimit: false,
  limits: {
    fileSize: Number.MAX_SAFE_INTEGER,
    files: maxFiles,
    fields: 2,
    fieldSize: 100,
    fieldNameSize: 100,
    headerPairs: 20,
    parts: maxFiles + 2,
  },
}

function asPart(part: Multipart, check: () => void): BillPart {
  if (part.type === 'field') {
    const value = typeof part.value === 'string' && !part.valueTruncated ? part.value : undefined
    return { kind: 'field', name: part.fieldname, value }
  }
  const pieces = async function* checked(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of part.file) {
        check()
        // A stream of bytes, which Node's types leave open.
        yield piece as Buffer
      }
    } catch (error) {
      throw asRefusal(error)
    }
  }
  return { kind: 'file', name: part.fieldname, fileName: part.filename, pieces: pieces() }
}

const tooLarge = (maxBytes: number) =>
  new AppError(
    'too_large',
    `An upload has at most ${maxBytes / 1024 ** 2} MiB. Send Parquet or compressed files, or the months one by one.`,
    { code: 'body_too_large' },
  )
const cutOff = () => invalid('The upload was cut off. Send it again.', undefined, 'upload_cut_off')

function asRefusal(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code = '' } = error as Error & { code?: string }
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT')
    return invalid(`An upload has at most ${maxFiles} files.`, undefined, 'too_many_files')
  if (code === 'FST_FIELDS_LIMIT')
    return invalid('An upload has the field `source` and files, no other field.')
  if (code === 'FST_MP_PREMATURE_CLOSE' || code === 'ECONNRESET') return cutOff()
  // The parser's own texts: an unexpected end, a missing boundary.
  if (code.startsWith('FST_') || /multipart|boundary|part terminated|aborted/i.test(error.message))
    return invalid('The body is not multipart/form-data.', undefined, 'malformed_multipart')
  return error
}
