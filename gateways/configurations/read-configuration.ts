import { fileURLToPath } from 'node:url'
import { AppError, unavailable, type ErrorDetail } from '../../domain/errors.ts'
import {
  assembleFiles,
  changeFiles,
  type AssembledFiles,
  type SourceFiles,
} from '../../domain/workspaces/assemble-files.ts'
import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import type { ReadFiles } from '../../domain/workspaces/read-configuration-body.ts'
import type { Frame, Header } from '../runner/frames.ts'
import { endProcess, keptProcesses, type KeptProcess } from '../runner/kept-processes.ts'
import { createTurns } from '../runner/turns.ts'

const megabyte = 1_048_576
/** A body of 10 MiB takes 200 MB. */
const readers = keptProcesses({
  entry: fileURLToPath(new URL('read-configuration-process.ts', import.meta.url)),
  memoryBytes: 512 * megabyte,
})
/** One process an organization. More bodies are not received at once (api/workspaces/admit-upload.ts). */
const turns = createTurns({
  atOnce: 3,
  ofOrganization: 1,
  waiting: 20,
  busy: 'Too many large configurations of your organization are being read. Try again in a minute.',
})
const patienceMs = 60_000

/** Above this many bytes a process of its own is worth its start. */
export const maxHereBytes = 64 * 1_024

/** What the process is asked for, once it has the bytes. */
export type AskedFiles = { of: 'body' } | { of: 'changes' } | { of: 'source'; commit: string }
/** `unchanged` of files of a source. */
export type ReadAnswer = AssembledFiles

/** Bytes for the process by name, each in any number of pieces. */
type Sent = ReadonlyArray<readonly [name: string, pieces: Iterable<Uint8Array>]>

/** The files of an earlier version as they are stored: JSON, an object of texts by name. */
export type EarlierFiles = { sizeBytes: number; pieces: AsyncIterable<Uint8Array> }

/**
 * Reads the body of an upload in a process of its own, with the CPU that runs have: ten megabytes take 0.3 s,
 * which others would wait for here. Throws what the API answers to a body that it refuses.
 */
export const readConfiguration = async (organizationId: number, body: Buffer): Promise<ReadFiles> =>
  ask(organizationId, { of: 'body' }, [['body', [body]]])

/**
 * Files of a commit that a Git host listed, read in the same process. `earlier` is the version whose contents were
 * known.
 */
export async function readSourceFiles(
  organizationId: number,
  { source, earlier, commit }: ReadSourceFiles,
): Promise<AssembledFiles> {
  const before = earlier && (await allOf(earlier))
  if (bytesOf(source, earlier?.sizeBytes ?? 0) <= maxHereBytes)
    return assembleFiles(before && filesIn(before), source, commit)
  const lengths = [...source.contents].map(([blob, { length }]) => [blob, length])
  return ask(organizationId, { of: 'source', commit }, [
    ['listed', [jsonOf([...source.listed])]],
    ['lengths', [jsonOf(lengths)]],
    ['contents', source.contents.values()],
    ...(before ? [['earlier', before] as const] : []),
  ])
}

/** At most. One content may be listed under 1,000 paths. */
function bytesOf({ listed, contents }: SourceFiles, earlierBytes: number): number {
  const counts = new Map<string, number>()
  for (const blob of listed.values()) counts.set(blob, (counts.get(blob) ?? 0) + 1)
  let bytes = earlierBytes
  const repeated = Math.max(
    0,
    ...[...counts].filter(([blob]) => !contents.has(blob)).map(([, count]) => count),
  )
  for (const [blob, count] of counts) bytes += count * (contents.get(blob)?.length ?? 0)
  return bytes + earlierBytes * repeated
}

type ReadSourceFiles = { source: SourceFiles; earlier: EarlierFiles | undefined; commit: string }

/** A version's files with some changed: null removes one. */
export async function readChangedFiles(
  organizationId: number,
  earlier: EarlierFiles,
  changes: ReadonlyArray<readonly [name: string, text: string | null]>,
): Promise<ReadFiles> {
  const before = await allOf(earlier)
  const bytes = jsonOf(changes)
  if (earlier.sizeBytes + bytes.length <= maxHereBytes) return changeFiles(filesIn(before), changes)
  return ask(organizationId, { of: 'changes' }, [
    ['earlier', before],
    ['changes', [bytes]],
  ])
}

const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/** Before a turn is taken, in which others would wait for the store too. */
async function allOf({ pieces }: EarlierFiles): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

const filesIn = (pieces: readonly Uint8Array[]) =>
  // Written by create-version.ts, in this shape.
  JSON.parse(Buffer.concat(pieces).toString()) as ConfigurationFiles

async function ask(organizationId: number, asked: AskedFiles, sent: Sent): Promise<ReadAnswer> {
  const leave = await turns.take(organizationId)
  try {
    const reader = await readers.take(organizationId)
    const answer = await answerOf(reader, asked, sent)
    readers.keep(organizationId, reader)
    if (answer instanceof AppError) throw answer
    return answer
  } finally {
    leave()
  }
}

async function answerOf(
  reader: KeptProcess,
  asked: AskedFiles,
  sent: Sent,
): Promise<ReadAnswer | AppError> {
  const { channel } = reader.runner
  const timer = setTimeout(() => reader.runner.kill(), patienceMs)
  try {
    for (const [name, pieces] of sent)
      for (const { buffer, byteOffset, length } of pieces)
        await channel.sendPieces(name, Buffer.from(buffer, byteOffset, length))
    await channel.send({ kind: 'read', ...asked })
    return await receive(reader.frames)
  } catch (error) {
    // It may have half of what was sent.
    endProcess(reader)
    if (error instanceof ReaderFault) throw error
    // Its message could have bytes of the body.
    throw unavailable('configuration_unreadable', 'The files could not be read. Try again.')
  } finally {
    clearTimeout(timer)
  }
}

async function receive(frames: AsyncIterator<Frame>): Promise<ReadAnswer | AppError> {
  const { header } = await nextOf(frames)
  if (header.kind === 'refused') return refusalIn(header)
  if (header.kind === 'failed') throw new ReaderFault(String(header['name']))
  const listed = JSON.parse((await blobOf(frames)).toString()) as Pick<
    ReadAnswer,
    'names' | 'blobs'
  >
  // Written by read-configuration-process.ts, in this shape.
  const { kind: _, ...known } = header as unknown as ReadAnswer & { kind: string }
  return { ...known, ...listed, text: await blobOf(frames) }
}

/** A fault of ours. Its message could have bytes of the files, so its name is all that is told. */
class ReaderFault extends Error {
  constructor(name: string) {
    super(`the process that reads configurations failed: ${name}`)
  }
}

const refusalIn = (header: Header): AppError =>
  new AppError('invalid', String(header['message']), {
    code: String(header['code']),
    // Written by read-configuration-process.ts, in this shape.
    ...(Array.isArray(header['details']) && { details: header['details'] as ErrorDetail[] }),
  })

async function blobOf(frames: AsyncIterator<Frame>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (;;) {
    const { header, body } = await nextOf(frames)
    if (header.kind === 'blob_end') return Buffer.concat(pieces)
    pieces.push(body)
  }
}

async function nextOf(frames: AsyncIterator<Frame>): Promise<Frame> {
  const next = await frames.next()
  if (next.done) throw new Error('the process that reads a configuration ended early')
  return next.value
}
