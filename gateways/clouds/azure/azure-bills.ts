import type { KeptOutbound } from '../../outbound/outbound.ts'
import { folderOf, settingOf } from '../bills/billing-settings.ts'
import { download } from '../bills/download.ts'
import { isRecord, maxManifestBytes, parseManifest } from '../bills/parse-manifest.ts'
import { all, namedSlice, newestPeriods, shown, waitingSlice } from '../bills/slices.ts'
import type { Bills, FoundSlice } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import type { AzureSession } from './azure-session.ts'
import { type BlobContainer, blobContainer, type BlobFile } from './blob-container.ts'

/**
 * A bill of Cost Management exports: below `directory`, a folder `YYYYMMDD-YYYYMMDD` for each month, with the
 * export's name before or after it, and in it a folder for each run, whose `manifest.json` names its blobs.
 */
export function azureBills(session: AzureSession, kept: KeptOutbound): Bills | undefined {
  const { billing } = session.target
  if (!billing) return undefined
  const container = blobContainer(session, kept)
  const root = folderOf(settingOf(billing, 'directory'))
  return {
    place: shown(
      `${settingOf(billing, 'storageAccount')}/${settingOf(billing, 'container')}/${root}`,
    ),
    find: async (signal, also) => findSlices({ container, root }, signal, also),
    fetch: async (file, path, progress) =>
      download(file, path, { ask: async (asked) => container.piece(file, asked), progress }),
  }
}

type Bill = { container: BlobContainer; root: string }
type Month = { period: string; folder: string }

async function findSlices(
  bill: Bill,
  signal: AbortSignal,
  also?: readonly string[],
): Promise<FoundSlice[]> {
  const months = await monthsIn(bill, signal)
  const found = months.map(({ period }) => period)
  const periods = newestPeriods(found, also)
  return all(
    periods.map(async (period) => {
      const folders = months.filter((month) => month.period === period)
      const listed: BlobFile[] = []
      for (const { folder } of folders) listed.push(...(await bill.container.files(folder, signal)))
      return findSlice(bill, { period, folder: folders[0]?.folder ?? '', listed, signal })
    }),
  )
}

const maxDepth = 4
const maxFolders = 100

/** The months' folders. One of another range, such as of a week or a year, is no slice. */
async function monthsIn({ container, root }: Bill, signal: AbortSignal): Promise<Month[]> {
  const months: Month[] = []
  let level = [root]
  let looked = 0
  for (let depth = 0; depth < maxDepth && level.length > 0; depth += 1) {
    const below: string[] = []
    for (const folder of level) {
      looked += 1
      if (looked > maxFolders) throw new CloudFault('unreachable', tooWide)
      for (const found of await container.folders(folder, signal)) {
        const range = /(?:^|\/)(\d{4})(\d{2})01-(\d{4})(\d{2})\d{2}\/$/.exec(found)
        const [, year, month, lastYear, lastMonth] = range ?? []
        if (range && year === lastYear && month === lastMonth)
          months.push({ period: `${year}-${month}`, folder: found })
        else if (!/\/?\d{8}-\d{8}\/$/.test(found)) below.push(found)
      }
    }
    level = below
  }
  return months
}

const tooWide = `The folder of the bill has more than ${maxFolders} others in it. Name that of the export in billing.directory.`

type Run = { manifest: BlobFile; fields: Record<string, unknown> | undefined }

async function findSlice(
  { container }: Bill,
  at: { period: string; folder: string; listed: readonly BlobFile[]; signal: AbortSignal },
): Promise<FoundSlice> {
  const { period, folder, listed, signal } = at
  const newest = newestOfEach(listed)
  if (newest.length > maxExports) return waitingSlice({ period, manifest: folder }, several)
  const runs = await all(
    newest.map(async (manifest): Promise<Run> => {
      const text = await container.text(manifest, maxManifestBytes, signal)
      return { manifest, fields: text === undefined ? undefined : parseManifest(text) }
    }),
  )
  // Cost Management exports other data too, often beside it; where that is all, the reader of it says so.
  const focus = runs.filter(({ fields }) => /focus/i.test(typeOf(fields)))
  const [run, another] = focus.length > 0 ? focus : runs
  if (!run)
    return waitingSlice({ period, manifest: folder }, 'Azure has not written the manifest yet.')
  if (another) return waitingSlice({ period, manifest: folder }, several)
  return sliceOf(run, { period, listed })
}

const maxExports = 20
const several =
  'There are several exports here, which may hold the same costs. Name the folder of one in billing.directory.'

/** The newest manifest of each export: what is left of its path without the range, the time and the id of the run. */
function newestOfEach(listed: readonly BlobFile[]): BlobFile[] {
  const newest = new Map<string, BlobFile>()
  for (const file of listed) {
    if (!file.key.endsWith('/manifest.json')) continue
    const name = file.key
      .split('/')
      .filter((part) => !ofRun.test(part))
      .join('/')
    const known = newest.get(name)
    if (!known || orderOf(known, file) < 0) newest.set(name, file)
  }
  return [...newest.values()]
}

const ofRun = /^(\d{8}-\d{8}|\d{12,14}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** Storage keeps whole seconds; the folders of some exports begin with their time. */
const orderOf = (one: BlobFile, other: BlobFile): number =>
  one.writtenAt.getTime() - other.writtenAt.getTime() || (one.key < other.key ? -1 : 1)

function typeOf(fields: Record<string, unknown> | undefined): string {
  const config = fields?.['exportConfig']
  return isRecord(config) && typeof config['type'] === 'string' ? config['type'] : ''
}

function sliceOf(
  { manifest, fields }: Run,
  { period, listed }: { period: string; listed: readonly BlobFile[] },
): FoundSlice {
  const place = { period, manifest: manifest.key }
  const blobs = fields?.['blobs']
  if (!fields) return waitingSlice(place, 'The manifest is cut off, or too large.')
  if (!Array.isArray(blobs) || !blobs.every(isRecord))
    return waitingSlice(
      place,
      'The manifest has no blobs. Check that it is one of Cost Management.',
    )
  const { blobCount, dataRowCount } = fields
  // Read, it would be a refused bill.
  if (dataRowCount === 0) return waitingSlice(place, 'The export has no charges yet.')
  if (typeof blobCount === 'number' && blobCount !== blobs.length)
    return waitingSlice(place, `The manifest names ${blobs.length} of ${blobCount} blobs.`)
  const sizes = new Map(blobs.map((blob) => [String(blob['blobName']), blob['byteCount']]))
  // A blob of another size than the manifest says is not the one that it means.
  const there = listed.filter(({ key, size }) => [size, undefined].includes(numberIn(sizes, key)))
  const rows = typeof dataRowCount === 'number' ? dataRowCount : null
  return namedSlice(place, { named: [...sizes.keys()], listed: there, rows })
}

const numberIn = (sizes: ReadonlyMap<string, unknown>, key: string): number | undefined => {
  const size = sizes.get(key)
  return typeof size === 'number' ? size : undefined
}
