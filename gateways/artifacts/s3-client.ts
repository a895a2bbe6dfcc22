import type { S3Client } from '@aws-sdk/client-s3'
import type { Logger } from '@smithy/types'
import type { ArtifactStoreConfig } from '../../config/builds.ts'
import { AppError, unavailable } from '../../domain/errors.ts'
import { s3HttpHandler } from '../clouds/aws/aws-http-handler.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { CheckedLately } from './checked-lately.ts'

export type BucketConfig = Extract<ArtifactStoreConfig, { kind: 's3' }>

/** A bucket as the store uses it. */
export type Bucket = {
  name: string
  opened: () => Promise<S3Client>
  /** With the prefix. */
  keyOf: (key: string) => string
  lately: CheckedLately
}

/** Slow clients read a large artifact for long; the API cuts off those that take nothing. */
const fileTimeoutMs = 6 * 3_600_000
/** A copy of 2 GiB within a bucket is one request. */
const timeoutMs = 10 * 60_000

/** Where a logger can be told of each call, the SDK copies each answer for it, whatever it does with the copy. */
const logger = { warn: () => undefined } as unknown as Logger

/**
 * A client for the operator's bucket. Each setting that the SDK would look up in the environment or in
 * `~/.aws` is named: what is there is for other programs.
 */
export async function openS3Client(
  { region, endpoint, key }: BucketConfig,
  outbound: Outbound,
): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3')
  const [accessKeyId = '', ...rest] = key.reveal().split(':')
  const credentials = { accessKeyId, secretAccessKey: rest.join(':') }
  return new S3Client({
    region,
    credentials,
    credentialDefaultProvider: () => async () => credentials,
    requestHandler: s3HttpHandler(outbound, { use: 'artifacts', fileTimeoutMs, timeoutMs }),
    logger,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableS3ExpressSessionAuth: true,
    disableMultiregionAccessPoints: true,
    // Older stores do not know these checksums. Ours is the digest.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    retryMode: 'standard',
    maxAttempts: 4,
    defaultsMode: 'standard',
    authSchemePreference: [],
    sigv4aSigningRegionSet: [],
    userAgentAppId: '',
  })
}

/** What a bucket refused, in words that name no key and no address. */
export function bucketFault(error: unknown): Error {
  if (error instanceof AppError) return error
  const name = error instanceof Error ? error.name : ''
  if (['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'].includes(name))
    return unavailable('artifact_store_full', 'The artifact store is full.', error)
  return unavailable('artifact_store_unavailable', 'The artifact store cannot be used.', error)
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name)
