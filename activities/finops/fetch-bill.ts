import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { CloudProvider } from '../../domain/clouds/cloud-account.ts'
import { type AppError, conflict } from '../../domain/errors.ts'
import { createPace } from '../../gateways/clouds/bills/pace.ts'
import type { BillFile, Bills, FoundSlice, Unloaded } from '../../gateways/clouds/cloud.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { placeOfChunks } from '../../store/finops/billing-uploads.ts'
import { takenUploads, type UploadedFile } from '../../store/finops/taken-uploads.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'
import type { BillInput } from '../../workflows/finops/contract.ts'
import { askThrice, isKind } from '../clouds/cloud-activity.ts'
import type { Deps } from '../deps.ts'
import type { HeldRoom } from './disk-room.ts'

type Needed = Pick<Deps, 'store' | 'keyring' | 'openCloud' | 'billBytes'>
/** `key` is what people are shown; `path` is ours. */
export type FetchedFile = { path: string; key: string }
type At = { input: BillInput; folder: string; room: HeldRoom; signal: AbortSignal }

/** The form of a bill by its name, as the reader takes it. */
const suffixOf = (key: string): string =>
  /\.(?:parquet|csv\.gz|csv)$/i.exec(key)?.[0].toLowerCase() ?? ''
const pathOf = (folder: string, at: number, key: string): string =>
  join(folder, `${String(at).padStart(5, '0')}${suffixOf(key)}`)
const fileOf = (folder: string, at: number, key: string): FetchedFile => ({
  path: pathOf(folder, at, key),
  key,
})

export type FetchedBill = {
  files: FetchedFile[]
  provider?: CloudProvider
  /** Null where nothing promises rows. */
  promised: PromisedRows | null
}

export type PromisedRows = {
  rows: number
  /** Which document or table says so. */
  manifest: string
  /** By BigQuery, since a table has no manifest. */
  isCounted: boolean
}

/**
 * Fetches the files of a month of an account, from where an attempt before this one stopped. `changed`: the
 * storage has other files by now.
 */
export async function fetchSlice(
  deps: Needed,
  { input, folder, room, signal }: At,
  look: { cloudAccountId: number; period: string; manifestHash: string },
): Promise<FetchedBill | 'changed'> {
  const account = await deps.store.tenant(input.organizationId, async (tenant) =>
    cloudAccounts(tenant).get(look.cloudAccountId),
  )
  const cloud = await deps.openCloud(account)
  try {
    const bills = cloud.bills?.()
    if (!bills) return 'changed'
    // One that is read again for its tags may be older than the newest.
    const months = [look.period.slice(0, 7)]
    const found = await askThrice(async () => bills.find(signal, months), signal)
    const slice = found.find(({ period }) => look.period.startsWith(period))
    if (slice?.state !== 'ready' || slice.hash !== look.manifestHash) return 'changed'
    const at = { folder, room, maxBytes: deps.billBytes, signal }
    const unloaded = await bills.unload?.(slice, signal)
    const files = unloaded
      ? await fetchUnloaded(bills, unloaded, at)
      : await fetchFiles(bills, slice.files, at)
    return { files, provider: account.provider, promised: promisedOf(slice, account.provider) }
  } catch (error) {
    if (isKind(error, 'changed')) {
      await rm(folder, { recursive: true, force: true })
      return 'changed'
    }
    if (isKind(error, 'denied', 'excluded', 'credentials', 'unreachable', 'throttled'))
      await deps.store.tenant(input.organizationId, async (tenant) =>
        ingestSources(tenant).noteReason(
          { ingestId: input.ingestId, sourceId: input.sourceId },
          error.message,
        ),
      )
    throw error
  } finally {
    cloud.close()
  }
}

const promisedOf = ({ rows, manifest }: FoundSlice, provider: CloudProvider): PromisedRows | null =>
  rows === null ? null : { rows, manifest, isCounted: provider === 'gcp' }

type Target = { folder: string; room: HeldRoom; maxBytes: number; signal: AbortSignal }

async function fetchFiles(
  bills: Pick<Bills, 'fetch'>,
  files: readonly BillFile[],
  { folder, room, maxBytes, signal }: Target,
): Promise<FetchedFile[]> {
  assertSize(files, maxBytes)
  const pace = createPace()
  const beforePiece = async () => pace.rest(async () => room.wait(signal))
  for (const [at, file] of files.entries())
    await askThrice(async () => {
      const count = atMost(maxBytes)
      const onBytes = (bytes: number) => {
        room.add(bytes)
        count(bytes)
      }
      const onRemoved = (bytes: number) => room.add(-bytes)
      const progress = { signal, onBytes, onRemoved, beforePiece, pace }
      return bills.fetch(file, pathOf(folder, at, file.key), progress)
    }, signal)
  return files.map(({ key }, at) => fileOf(folder, at, key))
}

/** Files that were written for this attempt: those of an attempt before it are no beginnings of theirs. */
async function fetchUnloaded(
  bills: Pick<Bills, 'fetch'>,
  { files, remove }: Unloaded,
  target: Target,
): Promise<FetchedFile[]> {
  try {
    for (const [at, { key }] of files.entries())
      await removeFile(pathOf(target.folder, at, key), target.room)
    return await fetchFiles(bills, files, target)
  } finally {
    // What is left is deleted when the month is exported again.
    await remove().catch(() => undefined)
  }
}

/** A file that is begun anew counts once towards the room of the disk. */
async function removeFile(path: string, room: HeldRoom): Promise<void> {
  const there = await stat(path).catch(() => undefined)
  await rm(path, { force: true })
  if (there) room.add(-there.size)
}

function assertSize(files: readonly BillFile[], maxBytes: number): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > maxBytes) throw tooLarge(bytes, maxBytes)
}

/** Counts what is written of a file: of a table, its size is not known before. */
function atMost(maxBytes: number): (bytes: number) => void {
  let written = 0
  return (bytes) => {
    written += bytes
    if (written > maxBytes) throw tooLarge(written, maxBytes)
  }
}

const tooLarge = (bytes: number, maxBytes: number): AppError =>
  conflict(
    'bill_too_large',
    `The bill has ${Math.ceil(bytes / 1024 ** 3)} GiB, and ${maxBytes / 1024 ** 3} are read. An operator can raise CC_BILL_GIBIBYTES.`,
  )

/** Writes the files of an upload, and holds each against its digest. */
export async function fetchUpload(
  { store, keyring }: Pick<Needed, 'store' | 'keyring'>,
  { input, folder, room, signal }: At,
  files: readonly UploadedFile[],
): Promise<FetchedFile[]> {
  const { organizationId } = input
  const place = placeOfChunks(organizationId)
  const chunksOf = async function* (id: number): AsyncGenerator<Buffer> {
    for (let number = 0; ; number += 1) {
      const sealed = await store.tenant(organizationId, async (tenant) =>
        takenUploads(tenant).chunk(id, number),
      )
      if (!sealed) return
      yield keyring.open(place, sealed)
    }
  }
  const fetched = files.map(({ name }, at) => fileOf(folder, at, name))
  for (const [at, { id, sha256 }] of files.entries()) {
    const hash = createHash('sha256')
    const hashed = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of chunksOf(id)) {
        hash.update(chunk)
        room.add(chunk.length)
        yield chunk
      }
    }
    const path = fetched[at]?.path ?? ''
    await removeFile(path, room)
    await room.wait(signal)
    await pipeline(hashed, createWriteStream(path, { mode: 0o644 }), { signal })
    if (hash.digest('hex') !== sha256)
      throw conflict('upload_damaged', 'What is stored of the upload is damaged. Send it again.')
  }
  return fetched
}
