import type { KeptOutbound } from '../../outbound/outbound.ts'
import { folderOf, settingOf } from '../bills/billing-settings.ts'
import { download } from '../bills/download.ts'
import { all, newestPeriods, readySlice, shown } from '../bills/slices.ts'
import type { Bills, FoundSlice } from '../cloud.ts'
import { type GoogleBucket, googleBucket } from './google-bucket.ts'
import type { GoogleSession } from './google-session.ts'
import { googleTableBills } from './google-table-bills.ts'

/**
 * A bill in BigQuery, or in a bucket: a folder for each month, `<prefix>/<YYYY-MM>/`, whose files together are the
 * month. Google writes no manifest.
 */
export function googleBills(session: GoogleSession, kept: KeptOutbound): Bills | undefined {
  const { billing } = session.target
  if (!billing) return undefined
  if (billing['dataset'] !== undefined) return googleTableBills(session, kept)
  const bucket = googleBucket(session, kept)
  const root = folderOf(settingOf(billing, 'prefix'))
  return {
    place: shown(`gs://${settingOf(billing, 'bucket')}/${root}`),
    find: async (signal, also) =>
      findSlices(bucket, { root, name: settingOf(billing, 'bucket'), also }, signal),
    fetch: async (file, path, progress) =>
      download(file, path, { ask: async (asked) => bucket.piece(file, asked), progress }),
  }
}

async function findSlices(
  bucket: GoogleBucket,
  { root, name, also }: { root: string; name: string; also: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<FoundSlice[]> {
  const folders = await bucket.folders(root, signal)
  const found = folders.map((folder) => folder.slice(root.length, -1))
  const periods = newestPeriods(found, also)
  const slices = await all(
    periods.map(async (period) => {
      const folder = `${root}${period}/`
      const files = (await bucket.files(folder, signal)).filter(({ key }) => isData.test(key))
      const place = { period, manifest: `gs://${name}/${folder}` }
      return files.length === 0 ? [] : [readySlice(place, files)]
    }),
  )
  return slices.flat()
}

/** Beside them lie marks of folders, and what programs write when they are done. */
const isData = /\.(parquet|csv|csv\.gz)$/i
