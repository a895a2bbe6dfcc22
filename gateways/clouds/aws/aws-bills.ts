import type { AwsCredentialIdentityProvider } from '@smithy/types'
import { download } from '../bills/download.ts'
import { maxManifestBytes, parseManifest } from '../bills/parse-manifest.ts'
import {
  all,
  commonFolder,
  namedSlice,
  newestPeriods,
  readySlice,
  shown,
  waitingSlice,
} from '../bills/slices.ts'
import type { Bills, FoundSlice } from '../cloud.ts'
import type { AwsAccount } from './aws-account.ts'
import { assertDataExport } from './assert-data-export.ts'
import type { AwsSettings } from './aws-settings.ts'
import { checkOwner } from './check-owner.ts'
import { type S3Bucket, rootOf, type S3File, s3Bucket, storageOf } from './s3-bucket.ts'

/**
 * A bill of AWS Data Exports (User Guide, "Understanding export delivery"): below `<prefix>/<exportName>/`, a
 * month's files in `data/BILLING_PERIOD=YYYY-MM/` and its manifest in `metadata/BILLING_PERIOD=YYYY-MM/`, which
 * is written after them. An export that keeps its older files has a folder for each of its runs in both.
 */
export function awsBills(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  account: AwsAccount,
): Bills | undefined {
  const storage = storageOf(settings)
  if (!storage) return undefined
  const { exportName } = storage
  const bucket = s3Bucket(settings, credentials, storage)
  const bill = {
    ...rootOf(storage),
    bucket,
    manifestName: `${exportName}-Manifest.json`,
    name: storage.bucket,
  }
  return {
    place: bill.place,
    async find(signal, also) {
      // Otherwise a role that trusts everybody shows its bill to whoever knows its ARN.
      await checkOwner(settings, account, signal)
      return findSlices(bill, signal, also)
    },
    fetch: async (file, path, progress) =>
      download(file, path, { ask: async (asked) => bucket.piece(file, asked), progress }),
  }
}

type Bill = { bucket: S3Bucket; root: string; place: string; manifestName: string; name: string }

/** A month is found by its files too: one that has no manifest yet is waited for. */
async function findSlices(
  bill: Bill,
  signal: AbortSignal,
  also?: readonly string[],
): Promise<FoundSlice[]> {
  const [metadata, data] = await all(
    ['metadata', 'data'].map(async (part) => {
      const folders = await bill.bucket.folders(`${bill.root}${part}/`, signal)
      return new Map(folders.flatMap((folder) => periodOf(folder).map((at) => [at, folder])))
    }),
  )
  if (metadata?.size === 0 && data?.size === 0) await assertDataExport(bill.bucket, bill, signal)
  const periods = newestPeriods([...(metadata?.keys() ?? []), ...(data?.keys() ?? [])], also)
  return all(
    periods.map(async (period) =>
      findSlice(bill, { period, folder: metadata?.get(period), signal }),
    ),
  )
}

/** The partition is written in capitals or not, by the table that is exported. */
const periodOf = (folder: string): string[] => {
  const period = /\/billing_period=(\d{4}-\d{2})\/$/i.exec(folder)?.[1]
  return period === undefined ? [] : [period]
}

async function findSlice(
  bill: Bill,
  at: { period: string; folder: string | undefined; signal: AbortSignal },
): Promise<FoundSlice> {
  const { period, folder, signal } = at
  const newest = folder === undefined ? undefined : await newestManifest(bill, folder, signal)
  if (!newest) {
    const manifest = `${folder ?? `${bill.root}metadata/BILLING_PERIOD=${period}/`}${bill.manifestName}`
    return waitingSlice({ period, manifest }, 'AWS has not written the manifest yet.')
  }
  const place = { period, manifest: newest.key }
  const text = await bill.bucket.text(newest, maxManifestBytes, signal)
  if (text === undefined) return waitingSlice(place, tooLarge)
  const named = keysIn(parseManifest(text), bill)
  if (typeof named === 'string') return waitingSlice(place, named)

  if (named.length === 0) return readySlice(place, [])
  const listed = await bill.bucket.files(commonFolder(named), signal)
  return namedSlice(place, { named, listed })
}

async function newestManifest(
  { bucket, manifestName }: Bill,
  folder: string,
  signal: AbortSignal,
): Promise<S3File | undefined> {
  const files = await bucket.files(folder, signal)
  return files
    .filter(({ key }) => key.endsWith(`/${manifestName}`))
    .toSorted((one, other) => orderOf(one, other))
    .at(-1)
}

/** S3 keeps whole seconds. The folders of the runs begin with their time. */
const orderOf = (one: S3File, other: S3File): number =>
  one.writtenAt.getTime() - other.writtenAt.getTime() || (one.key < other.key ? -1 : 1)

/** The keys that the manifest names, or why it cannot be followed. */
function keysIn(manifest: Record<string, unknown> | undefined, bill: Bill): string[] | string {
  if (!manifest) return 'The manifest is cut off, or too large.'
  const { dataFiles } = manifest
  if (!Array.isArray(dataFiles) || !dataFiles.every((name) => typeof name === 'string'))
    return 'The manifest has no dataFiles. Check that it is one of AWS Data Exports.'
  const own = `s3://${bill.name}/${bill.root}`
  const stray = dataFiles.find((name) => !name.startsWith(own))
  if (stray !== undefined) return `The manifest names ${shown(stray)}, which is not in ${own}.`
  return [...new Set(dataFiles.map((name) => name.slice(`s3://${bill.name}/`.length)))]
}

const tooLarge = `The manifest has more than ${maxManifestBytes / 1024 ** 2} MiB, which no export of AWS has.`
