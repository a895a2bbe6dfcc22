import type { ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3'
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { AppError } from '../../../domain/errors.ts'
import { folderOf, settingOf } from '../bills/billing-settings.ts'
import { type Asked, changed, type Piece } from '../bills/download.ts'
import { readWhole } from '../bills/read-whole.ts'
import { allPages, shown } from '../bills/slices.ts'
import type { BillFile } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { bounded } from '../within.ts'
import { awsFault } from './aws-refusal.ts'
import type { AwsSettings } from './aws-settings.ts'

export type S3File = BillFile & { writtenAt: Date }

/** The bucket of an account's bill. */
export interface S3Bucket {
  /** One file of the folder, if it has any. */
  first(prefix: string, signal: AbortSignal): Promise<S3File | undefined>
  files(prefix: string, signal: AbortSignal): Promise<S3File[]>
  /** The folders that are directly in this one, in full: `bills/data/BILLING_PERIOD=2026-10/`. */
  folders(prefix: string, signal: AbortSignal): Promise<string[]>
  /** A whole small file; undefined where it has more bytes than that. */
  text(file: BillFile, maxBytes: number, signal: AbortSignal): Promise<string | undefined>
  piece(file: BillFile, asked: Asked): Promise<Piece>
}

export type S3Storage = {
  bucket: string
  prefix: string
  exportName: string
  region: string
  endpoint: string | undefined
}

/** Where the account's bill is; undefined where none is set up. */
export function storageOf({ home, target }: AwsSettings): S3Storage | undefined {
  const { billing, endpoints } = target
  if (!billing) return undefined
  const text = (name: string) => settingOf(billing, name)
  return {
    bucket: text('bucket'),
    prefix: text('prefix'),
    exportName: text('exportName'),
    region: text('region') || home,
    endpoint: text('endpoint') || endpoints.storage,
  }
}

/** The folder of the account's export: its keys begin with `root`, and people know it by `place`. */
export function rootOf({ bucket, prefix, exportName }: S3Storage): { root: string; place: string } {
  const root = `${folderOf(prefix)}${exportName}/`
  return { root, place: shown(`s3://${bucket}/${root}`) }
}

export function s3Bucket(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  place: S3Storage,
): S3Bucket {
  const { bucket: Bucket } = place
  let client: Promise<S3Client> | undefined
  const opened = async () => (client ??= openClient(settings, credentials, place))

  const list = async (asked: ListAsked, signal: AbortSignal) => {
    const { ListObjectsV2Command } = await import('@aws-sdk/client-s3')
    const command = new ListObjectsV2Command({ Bucket, EncodingType: 'url', ...asked })
    return calling('s3:ListBucket', signal, async (until) =>
      (await opened()).send(command, { abortSignal: until }),
    )
  }
  const pages = async <T>(
    asked: ListAsked,
    signal: AbortSignal,
    read: (page: ListObjectsV2CommandOutput) => T[],
  ) =>
    allPages<T>(async (token) => {
      const page = await list({ ...asked, ...(token && { ContinuationToken: token }) }, signal)
      const { IsTruncated, NextContinuationToken } = page
      return { items: read(page), next: IsTruncated ? NextContinuationToken : undefined }
    })
  const piece = async (file: BillFile, { from, last, signal }: Asked): Promise<Piece> => {
    const { GetObjectCommand } = await import('@aws-sdk/client-s3')
    const command = new GetObjectCommand({
      Bucket,
      Key: file.key,
      Range: `bytes=${from}-${last}`,
      IfMatch: `"${file.etag}"`,
    })
    const answer = await calling('s3:GetObject', signal, async (until) =>
      (await opened()).send(command, { abortSignal: until }),
    )
    // In Node, the SDK's body is the stream of its handler.
    const body = answer.Body as unknown as AsyncIterable<unknown>
    const status = answer.$metadata.httpStatusCode ?? 0
    return { status, etag: bare(answer.ETag), contentRange: answer.ContentRange, body }
  }

  return {
    first: async (prefix, signal) => filesOf(await list({ Prefix: prefix, MaxKeys: 1 }, signal))[0],
    files: async (prefix, signal) => pages({ Prefix: prefix, MaxKeys: 500 }, signal, filesOf),
    folders: async (prefix, signal) =>
      pages({ Prefix: prefix, Delimiter: '/', MaxKeys: 500 }, signal, (page) =>
        (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => decoded(Prefix, page.EncodingType)),
      ),
    async text(file, maxBytes, signal) {
      if (file.size > maxBytes) return undefined
      // No range of an empty file can be asked for.
      if (file.size === 0) return ''
      const { body } = await piece(file, { from: 0, last: file.size - 1, signal })
      return readWhole(body, maxBytes)
    },
    piece,
  }
}

type ListAsked = {
  Prefix: string
  MaxKeys: number
  Delimiter?: string
  ContinuationToken?: string
}

const filesOf = ({ Contents = [], EncodingType }: ListObjectsV2CommandOutput): S3File[] =>
  Contents.map(({ Key = '', Size = 0, ETag, LastModified }) => ({
    key: decoded(Key, EncodingType),
    size: Size,
    etag: bare(ETag) ?? '',
    writtenAt: LastModified ?? new Date(0),
  }))

/** Asked for in the form of a URL, since XML cannot carry each character that a key may have. */
function decoded(key: string, form: string | undefined): string {
  if (form !== 'url') return key
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    throw new CloudFault('unreachable', 'The storage names a file that cannot be read.')
  }
}

const bare = (etag: string | undefined): string | undefined => etag?.replaceAll('"', '')

async function openClient(
  settings: AwsSettings,
  credentials: AwsCredentialIdentityProvider,
  place: S3Storage,
): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3')
  return new S3Client(settings.forStorage(place, credentials))
}

async function calling<T>(
  action: string,
  signal: AbortSignal,
  call: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await bounded(call(signal), signal)
  } catch (error) {
    throw s3Fault(error, action)
  }
}

/** What S3 says beside what all services say. */
function s3Fault(error: unknown, action: string): CloudFault | AppError {
  if (error instanceof CloudFault || !(error instanceof Error)) return awsFault(error, action)
  if (['PreconditionFailed', 'NoSuchKey', 'InvalidRange'].includes(error.name)) return changed()
  const reason = reasons[error.name]
  return reason === undefined ? awsFault(error, action) : new CloudFault('unreachable', reason)
}

const otherRegion = 'The bucket is in another region. Check billing.region.'
const reasons: Readonly<Record<string, string>> = {
  NoSuchBucket: 'AWS has no such bucket. Check billing.bucket.',
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  IllegalLocationConstraintException: otherRegion,
  InvalidObjectState: 'A file of the bill is archived. Restore it, or keep bills for longer.',
}
