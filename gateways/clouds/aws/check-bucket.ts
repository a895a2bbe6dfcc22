import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import { checkCalls, offCheck } from '../check-parts.ts'
import type { AwsSettings } from './aws-settings.ts'
import { s3Bucket, storageOf } from './s3-bucket.ts'

/** Lists one file of the bill's folder, and reads one byte of it where there is one. */
export async function checkBucket(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  signal: AbortSignal,
): Promise<AccountCheck> {
  const storage = storageOf(settings)
  if (!storage) return offCheck('billing', 'No bill is set up for this account.')
  const bucket = s3Bucket(settings, credentials, storage)
  const read = async () => {
    const file = await bucket.first(storage.prefix, signal)
    if (file) await bucket.text({ ...file, size: Math.min(1, file.size) }, 1, signal)
  }
  return checkCalls('billing', [read()])
}
