import { CloudFault } from '../cloud-fault.ts'
import type { S3Bucket } from './s3-bucket.ts'

/** Refuses a folder with a classic Cost and Usage Report alone, which has no FOCUS columns and its own layout. */
export async function assertDataExport(
  bucket: S3Bucket,
  { root, place }: { root: string; place: string },
  signal: AbortSignal,
): Promise<void> {
  const folders = (await bucket.folders(root, signal)).map((folder) => folder.slice(root.length))
  if (folders.some((folder) => folder === 'data/' || folder === 'metadata/')) return
  const month = folders.findLast((folder) => /^\d{8}-\d{8}\/$/.test(folder))
  if (month === undefined) return
  const files = await bucket.files(`${root}${month}`, signal)
  if (files.some(({ key }) => key.endsWith('-Manifest.json')))
    throw new CloudFault('unreachable', `${place} is a Cost and Usage Report. ${toFocus}`)
}

const toFocus =
  'In AWS under Billing and Cost Management, Data Exports, create a standard export of the table “FOCUS with AWS columns”, and name it in billing.exportName.'
