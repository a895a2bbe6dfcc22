import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../../domain/access/caller.ts'
import { AppError, conflict, invalid } from '../../../domain/errors.ts'
import { assertFileName, assertSourceName } from '../../../domain/finops/upload-names.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { billingUploads, placeOfChunks } from '../../../store/finops/billing-uploads.ts'
import type { Deps } from '../../deps.ts'
import { billParts, type BillPart } from './bill-parts.ts'
import { ofOrganization, organizationIsBusy } from './receiving-places.ts'
import { watchPace } from './upload-pace.ts'

const chunkBytes = 1024 ** 2
/** An organization may store so many full uploads. */
const storedUploads = 32
/** Named sources of an organization: answers about its cost and its ingests read all of them. */
const maxSources = 1_000

export type ReceivedUpload = { uploadId: number; sourceId: number; source: string; digest: Buffer }

/**
 * Stores the files of an upload as sealed chunks while they arrive. One chunk of it is in memory. What was
 * stored of an upload that fails is deleted.
 */
export async function receiveUpload(deps: Deps, request: FastifyRequest): Promise<ReceivedUpload> {
  const { caller } = request
  const pace = watchPace(request)
  try {
    const parts = billParts(request, limitOf(deps))
    const source = await firstField(parts)
    pace.sourceArrived()
    return await receiveFiles(deps, caller, { parts, source })
  } finally {
    pace.stop()
  }
}

/** The same without a request: the demo of `npm start` uploads its bills by it. */
export async function receiveFiles(
  deps: Deps,
  caller: Caller,
  { parts, source }: { parts: AsyncGenerator<BillPart>; source: string },
): Promise<ReceivedUpload> {
  const begun = await begin(deps, caller, source)
  try {
    const digest = createHash('sha256').update(source)
    let files = 0
    for await (const part of parts) {
      if (part.kind !== 'file') throw refuseField(part.name, 'only files follow the source')
      if (part.name !== 'file') throw refuseField(part.name, 'files are in the field `file`')
      const { name, sha256 } = await receiveFile(deps, caller, { ...begun, part })
      digest.update(JSON.stringify([name, sha256]))
      files += 1
    }
    if (files === 0) throw refuseField('file', 'at least one file is required')
    return { ...begun, source, digest: digest.digest() }
  } catch (error) {
    await abandonUpload(deps, caller, begun.uploadId)
    throw error
  }
}

export const abandonUpload = async (deps: Deps, caller: Caller, uploadId: number): Promise<void> =>
  deps.store.tenant(caller.organizationId, async (tenant) =>
    billingUploads(tenant).abandon(uploadId),
  )

const limitOf = ({ config }: Pick<Deps, 'config'>): number => config.uploadMebibytes * 1024 ** 2

const refuseField = (path: string, message: string) =>
  invalid(`${path}: ${message}.`, [{ path, message }])

async function firstField(parts: AsyncGenerator<BillPart>): Promise<string> {
  const { value: first, done } = await parts.next()
  if (done || first.kind !== 'field' || first.name !== 'source')
    throw refuseField('source', 'is required, before the files')
  if (first.value === undefined) throw refuseField('source', 'has at most 63 characters')
  assertSourceName(first.value)
  return first.value
}

async function begin(
  deps: Deps,
  { organizationId, userId }: Caller,
  source: string,
): Promise<{ uploadId: number; sourceId: number }> {
  return deps.store.tenant(organizationId, async (tenant) => {
    const uploads = billingUploads(tenant)
    const { receiving, storedBytes, sources } = await uploads.countUnderWay()
    if (receiving >= ofOrganization) throw organizationIsBusy()
    if (storedBytes > storedUploads * limitOf(deps))
      throw new AppError(
        'conflict',
        'Your organization has stored as many uploads as it may. Delete sources that are no longer needed.',
        { code: 'uploads_full' },
      )
    const all = billingSources(tenant)
    if (sources >= maxSources && !(await all.findNamed(source)))
      throw conflict(
        'too_many_sources',
        `An organization has at most ${maxSources} named sources of bills. Send it to one of them, or delete one that is no longer needed.`,
      )
    const { id: sourceId } = await all.ensureNamed(source)
    return { uploadId: await uploads.begin({ sourceId, createdBy: userId }), sourceId }
  })
}

async function receiveFile(
  { store, keyring }: Deps,
  { organizationId }: Caller,
  { uploadId, part }: { uploadId: number; part: BillPart & { kind: 'file' } },
): Promise<{ name: string; sha256: string }> {
  const name = assertFileName(part.fileName)
  const fileId = await store.tenant(organizationId, async (tenant) =>
    billingUploads(tenant).addFile(uploadId, name),
  )
  const hash = createHash('sha256')
  let bytes = 0
  let number = 0
  for await (const chunk of inChunks(part.pieces)) {
    hash.update(chunk)
    bytes += chunk.length
    const sealed = keyring.seal(placeOfChunks(organizationId), chunk)
    const kept = await store.tenant(organizationId, async (tenant) =>
      billingUploads(tenant).addChunk(uploadId, { fileId, number, sealed }),
    )
    // Removed with its source, or taken for one whose receiver is gone.
    if (!kept) throw new AppError('conflict', 'The upload was given up.', { code: 'upload_gone' })
    number += 1
  }
  if (bytes === 0) throw refuseField('file', `${name} is empty`)
  const sha256 = hash.digest('hex')
  await store.tenant(organizationId, async (tenant) =>
    billingUploads(tenant).endFile(fileId, { bytes, sha256 }),
  )
  return { name, sha256 }
}

async function* inChunks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const piece of pieces) {
    held.push(piece)
    size += piece.length
    if (size < chunkBytes) continue
    const all = Buffer.concat(held)
    let at = 0
    for (; all.length - at >= chunkBytes; at += chunkBytes) yield all.subarray(at, at + chunkBytes)
    held = [all.subarray(at)]
    size = all.length - at
  }
  if (size > 0) yield Buffer.concat(held)
}
