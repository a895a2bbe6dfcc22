import { createHash, randomUUID } from 'node:crypto'
import { folderOf, settingOf } from '../bills/billing-settings.ts'
import { changed } from '../bills/download.ts'
import { all, readySlice } from '../bills/slices.ts'
import type { FoundSlice, Unloaded } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import type { BigQuery, TableDescription } from './big-query.ts'
import type { GoogleBucket } from './google-bucket.ts'
import type { GoogleSession } from './google-session.ts'
import { exportQuery } from './table-query.ts'

export type TableExport = {
  session: GoogleSession
  warehouse: BigQuery
  bucket: GoogleBucket
  /** `project.dataset.table`. */
  name: string
}

/**
 * Has BigQuery write the month's lines as Parquet files into a folder of their own in the account's bucket. What an
 * attempt before this one left of the month is deleted first; what this one wrote is deleted where it fails.
 */
export async function exportMonth(
  { session, warehouse, bucket, name }: TableExport,
  { slice, table }: { slice: FoundSlice; table: TableDescription },
  signal: AbortSignal,
): Promise<Unloaded> {
  const place = settingOf(session.target.billing, 'bucket')
  const ofMonth = `${rootOf(session)}${slice.period}/`
  const folder = `${ofMonth}${randomUUID()}/`
  await removeAll(bucket, ofMonth, signal)
  const remove = async () => removeAll(bucket, folder, AbortSignal.timeout(removalMs))
  try {
    const uri = `gs://${place}/${folder}*.parquet`
    const query = exportQuery(name, table.columns, { month: slice.period, uri })
    const job = await warehouse.start(query, table.location, signal)
    const { rows, files: written } = await warehouse.exported(job, signal)
    // Lines came or went since the month was counted.
    if (rows !== slice.rows) throw changed()
    const files = await bucket.files(folder, signal)
    if (files.length !== written)
      throw new CloudFault('unreachable', 'The files that BigQuery wrote are not in the bucket.')
    const ready = readySlice(slice, files, rows)
    if (ready.state === 'waiting') throw new CloudFault('unreachable', ready.reason ?? '')
    return { files: ready.files, remove }
  } catch (error) {
    // What the deletion meets says less than why the export failed; the next attempt deletes the rest.
    await remove().catch(() => undefined)
    throw error
  }
}

/** A minute deletes the files of a month, of which there is one a gigabyte. */
const removalMs = 60_000

/**
 * Below the account's prefix, and apart from other organizations that connected the same account. The external id is
 * not itself a part of names that others may list.
 */
function rootOf({ target }: GoogleSession): string {
  const whose = createHash('sha256').update(target.externalId).digest('hex').slice(0, 16)
  return `${folderOf(settingOf(target.billing, 'prefix'))}cloud-control-export/${whose}/`
}

async function removeAll(bucket: GoogleBucket, folder: string, signal: AbortSignal): Promise<void> {
  const files = await bucket.files(folder, signal)
  const atOnce = 10
  for (let from = 0; from < files.length; from += atOnce)
    await all(files.slice(from, from + atOnce).map(async (file) => bucket.remove(file, signal)))
}
