import { fileURLToPath } from 'node:url'
import { AppError, unavailable, type ErrorDetail } from '../../domain/errors.ts'
import type { ConfigurationFiles } from '../../domain/workspaces/configuration-files.ts'
import { readFiles, type ReadFiles } from '../../domain/workspaces/read-configuration-body.ts'
import type { Frame, Header } from '../runner/frames.ts'
import { endProcess, keptProcesses } from '../runner/kept-processes.ts'
import { createTurns } from '../runner/turns.ts'

const megabyte = 1_048_576
/** A body of 10 MiB takes 200 MB. */
const readers = keptProcesses({
  entry: fileURLToPath(new URL('read-configuration-process.ts', import.meta.url)),
  memoryBytes: 512 * megabyte,
})
/** One process an organization. More bodies are not received at once (api/workspaces/admit-upload.ts). */
const turns = createTurns({ atOnce: 3, ofOrganization: 1, waiting: 20 })
const patienceMs = 60_000

/** Above this many bytes a process of its own is worth its start. */
export const maxHereBytes = 64 * 1_024

/** Reads files that a Git host sent, with the commit that they are of. */
export async function readConfigurationFiles(
  organizationId: number,
  files: ConfigurationFiles,
  commit?: string,
): Promise<ReadFiles> {
  const length = Object.values(files).reduce((sum, text) => sum + text.length, 0)
  if (length <= maxHereBytes) return readFiles(files, commit)
  return readConfiguration(organizationId, { body: Buffer.from(JSON.stringify({ files })), commit })
}

/**
 * Reads the body of an upload in a process of its own, with the CPU that runs have: ten megabytes take 0.3 s,
 * which others would wait for here. Throws what the API answers to a body that it refuses.
 */
export async function readConfiguration(
  organizationId: number,
  { body, commit }: { body: Buffer; commit?: string | undefined },
): Promise<ReadFiles> {
  const leave = await turns.take(organizationId)
  try {
    const reader = await readers.take(organizationId)
    const timer = setTimeout(() => reader.runner.kill(), patienceMs)
    try {
      if (commit !== undefined) await reader.runner.channel.send({ kind: 'commit', commit })
      await reader.runner.channel.sendBlob('body', body)
      const answer = await receive(reader.frames)
      readers.keep(organizationId, reader)
      if (answer instanceof AppError) throw answer
      return answer
    } catch (error) {
      if (error instanceof AppError) throw error
      endProcess(reader)
      // Its message could have bytes of the body.
      throw unavailable('configuration_unreadable', 'The files could not be read. Send them again.')
    } finally {
      clearTimeout(timer)
    }
  } finally {
    leave()
  }
}

async function receive(frames: AsyncIterator<Frame>): Promise<ReadFiles | AppError> {
  const { header } = await nextOf(frames)
  if (header.kind === 'refused') return refusalIn(header)
  const names = await blobOf(frames)
  // Written by read-configuration-process.ts, in this shape.
  const { sha256, sizeBytes, localModules, details, refused } = header as unknown as ReadFiles
  const text = await blobOf(frames)
  const known = { sha256, sizeBytes, localModules, details, refused }
  return { ...known, names: JSON.parse(names.toString()), text }
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
