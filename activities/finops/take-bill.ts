import { AppError } from '../../domain/errors.ts'
import { loadBill } from '../../app/finops/load-bill.ts'
import type { ProgramAnswer } from '../../gateways/duckdb/program/protocol.ts'
import { takenUploads } from '../../store/finops/taken-uploads.ts'
import { readingSlices } from '../../store/finops/reading-slices.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'
import type { BillInput, Taken } from '../../workflows/finops/contract.ts'
import { asFault, cloudActivity } from '../clouds/cloud-activity.ts'
import type { Deps } from '../deps.ts'
import { openBillFolder, type BillFolder } from './bill-folder.ts'
import type { HeldRoom } from './disk-room.ts'
import { fetchSlice, fetchUpload, type FetchedBill, type PromisedRows } from './fetch-bill.ts'
import { throwDiskFault } from './throw-disk-fault.ts'

type Needed = Pick<
  Deps,
  'store' | 'keyring' | 'openCloud' | 'readBills' | 'billingDir' | 'billBytes' | 'billPlaces'
>

/**
 * Fetches a bill to this worker's disk, reads it and loads its charges, which nobody sees before the swap.
 * Idempotent: an attempt after a crash goes on with the files that are there and loads anew. Only its reading and
 * loading hold a reader of this worker: the bill of a slow storage must not keep others from theirs.
 */
export const takeBill =
  (deps: Needed) =>
  async (input: BillInput): Promise<Taken> =>
    cloudActivity(async (signal) => {
      const folder = await openBillFolder(deps.billingDir, input).catch(throwDiskFault)
      const room = deps.billPlaces.disk.hold(folder.path, folder.bytes)
      let isGone = false
      try {
        const taken = await take(deps, { input, folder, room, signal }).catch(throwDiskFault)
        await folder.remove()
        isGone = true
        return taken
      } catch (error) {
        const fault = asFault(error)
        if (isFinal(fault)) {
          await folder.remove()
          isGone = true
        } else await folder.leave()
        throw fault
      } finally {
        if (isGone) room.release()
        else room.leave()
      }
    })

/** No further attempt follows (activities/guard-activity.ts). */
const isFinal = (fault: unknown): boolean =>
  fault instanceof AppError && fault.fault !== 'unavailable'

type Work = { input: BillInput; folder: BillFolder; room: HeldRoom; signal: AbortSignal }
const over: Taken = { outcome: 'over', sliceIds: [] }
const changed: Taken = { outcome: 'changed', sliceIds: [] }

async function take(deps: Needed, work: Work): Promise<Taken> {
  const { input, folder, room, signal } = work
  const { organizationId, ingestId, sourceId, sliceId, uploadId } = input
  const found = await deps.store.tenant(organizationId, async (tenant) => {
    const source = await ingestSources(tenant).findWaiting({ ingestId, sourceId })
    if (!source) return undefined
    const { cloudAccountId } = source
    if (uploadId !== undefined) {
      const files = await takenUploads(tenant).filesOf(uploadId, ingestId)
      return files && { files }
    }
    const slice = await readingSlices(tenant).findReading(sliceId ?? 0)
    // An attempt before this one found that the export was written anew, and its answer was lost.
    if (!slice && cloudAccountId !== null && !(await readingSlices(tenant).exists(sliceId ?? 0)))
      return 'changed' as const
    if (!slice || slice.ingestId !== ingestId || cloudAccountId === null) return undefined
    return { look: { ...slice, cloudAccountId } }
  })
  if (!found) return over
  if (found === 'changed') return changed
  const at = { input, folder: folder.files, room, signal }
  const fetched = found.files
    ? { files: await fetchUpload(deps, at, found.files), promised: null }
    : await fetchSlice(deps, at, found.look)
  if (fetched === 'changed') {
    await deps.store.tenant(organizationId, async (tenant) =>
      readingSlices(tenant).dropReading(sliceId ?? 0),
    )
    return changed
  }
  return deps.billPlaces.read(signal, async () => read(deps, work, fetched))
}

async function read(
  deps: Needed,
  { input, folder, signal }: Work,
  { files, provider, promised }: FetchedBill,
): Promise<Taken> {
  const { tagAliases } = await deps.store.tenant(input.organizationId, organizationSettings)
  const answer = await deps.readBills({
    files,
    tagAliases,
    ...(provider && { provider }),
    limits: { bytes: deps.billBytes },
    outFolder: folder.out,
    signal,
  })
  const bill = heldToManifest(answer, promised)
  const sliceIds = await loadBill(deps.store, { ...input, files, bill, tagAliases })
  return { outcome: sliceIds.length > 0 ? ('loaded' as const) : ('refused' as const), sliceIds }
}

/** A bill with other rows than its manifest promises is not whole, or is two at once. */
export function heldToManifest(bill: ProgramAnswer, promised: PromisedRows | null): ProgramAnswer {
  if (bill.kind === 'refused' || promised === null) return bill
  const { rows, manifest, isCounted } = promised
  const read = bill.slices.reduce((sum, { rowsRead }) => sum + rowsRead, 0)
  if (read === rows) return bill
  const message = isCounted
    ? `BigQuery counted ${rows} lines, and ${read} were read. The month is read again once its table changes.`
    : `The manifest promises ${rows} rows, and its files have ${read}. Run the export again: it is read once its manifest changes.`
  return {
    kind: 'refused',
    rejected: 0,
    errors: [{ file: manifest, row: null, column: null, message }],
  }
}
