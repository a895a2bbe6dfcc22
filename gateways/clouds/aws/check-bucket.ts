import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import { checkCalls, offCheck } from '../check-parts.ts'
import { assertDataExport } from './assert-data-export.ts'
import type { AwsSettings } from './aws-settings.ts'
import { rootOf, s3Bucket, storageOf } from './s3-bucket.ts'

/**
 * Lists one file of the export's folder, and reads one byte of it where there is one. A new export has none for up to
 * 24 hours, which is no fault.
 */
export async function checkBucket(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  signal: AbortSignal,
): Promise<AccountCheck> {
  const storage = storageOf(settings)
  if (!storage) return offCheck('billing', 'No bill is set up for this account.')
  const bucket = s3Bucket(settings, credentials, storage)
  const { root, place } = rootOf(storage)
  let isEmpty = false
  const read = async () => {
    const file = await bucket.first(root, signal)
    isEmpty = file === undefined
    if (!file) return
    await bucket.text({ ...file, size: Math.min(1, file.size) }, 1, signal)
    await assertDataExport(bucket, { root, place }, signal)
  }
  const check = await checkCalls('billing', [read()])
  return check.state === 'ok' && isEmpty
    ? { ...check, reason: `No file is in ${place} yet. ${late}` }
    : check
}

const late =
  'AWS writes the first ones within 24 hours after an export is made. Check its name and its prefix otherwise.'
