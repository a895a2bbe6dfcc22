import type { BlobItem, ContainerClient } from '@azure/storage-blob'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import type { AppError } from '../../../domain/errors.ts'
import { settingOf } from '../bills/billing-settings.ts'
import { type Asked, changed, type Piece } from '../bills/download.ts'
import { readWhole } from '../bills/read-whole.ts'
import { allPages } from '../bills/slices.ts'
import type { BillFile } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { bounded } from '../within.ts'
import type { AzureSession } from './azure-session.ts'
import { blobHttpClient } from './blob-http-client.ts'

export type BlobFile = BillFile & { writtenAt: Date }

/** The container of an account's bill. */
export interface BlobContainer {
  /** Lists one blob, which fails where the container may not be listed. */
  first(prefix: string, signal: AbortSignal): Promise<void>
  files(prefix: string, signal: AbortSignal): Promise<BlobFile[]>
  /** The folders that are directly in this one, in full. */
  folders(prefix: string, signal: AbortSignal): Promise<string[]>
  /** A whole small blob; undefined where it has more bytes than that. */
  text(file: BillFile, maxBytes: number, signal: AbortSignal): Promise<string | undefined>
  piece(file: BillFile, asked: Asked): Promise<Piece>
}

const right = 'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read'

/** By what the account names for its bill (a SAS or a connection string), else by its identity. */
export function blobContainer(session: AzureSession, kept: KeptOutbound): BlobContainer {
  let client: Promise<ContainerClient> | undefined
  const calling = async <T>(
    signal: AbortSignal,
    call: (container: ContainerClient) => Promise<T>,
  ) => {
    try {
      const container = await (client ??= openClient(session, kept))
      return await bounded(call(container), signal)
    } catch (error) {
      throw blobFault(error, session)
    }
  }
  const pagesOf = async <P extends { continuationToken?: string }>(
    asked: PageAsked,
    signal: AbortSignal,
    list: (container: ContainerClient) => Listing<P>,
  ) =>
    calling(signal, async (container) => {
      const { size, token } = asked
      const settings = { maxPageSize: size, ...(token && { continuationToken: token }) }
      for await (const page of list(container).byPage(settings))
        return { page, next: page.continuationToken || undefined }
      throw new CloudFault('unreachable', 'The storage sent no list.')
    })
  const blobs = async (asked: PageAsked, signal: AbortSignal) =>
    pagesOf(asked, signal, (container) =>
      container.listBlobsFlat({ prefix: asked.prefix, abortSignal: signal }),
    )
  const piece = async (file: BillFile, asked: Asked): Promise<Piece> =>
    calling(asked.signal, async (container) => pieceOf(container, file, asked))

  return {
    first: async (prefix, signal) => void (await blobs({ prefix, size: 1 }, signal)),
    files: async (prefix, signal) =>
      allPages(async (token) => {
        const { page, next } = await blobs({ prefix, size: 500, token }, signal)
        return { items: page.segment.blobItems.map(fileOf), next }
      }),
    folders: async (prefix, signal) =>
      allPages(async (token) => {
        const { page, next } = await pagesOf({ prefix, size: 500, token }, signal, (container) =>
          container.listBlobsByHierarchy('/', { prefix, abortSignal: signal }),
        )
        return { items: (page.segment.blobPrefixes ?? []).map(({ name }) => name), next }
      }),
    async text(file, maxBytes, signal) {
      if (file.size > maxBytes) return undefined
      if (file.size === 0) return ''
      const { body } = await piece(file, { from: 0, last: file.size - 1, signal })
      return readWhole(body, maxBytes)
    },
    piece,
  }
}

async function pieceOf(
  container: ContainerClient,
  file: BillFile,
  { from, last, signal }: Asked,
): Promise<Piece> {
  const answer = await container.getBlobClient(file.key).download(from, last - from + 1, {
    abortSignal: signal,
    conditions: { ifMatch: `"${file.etag}"` },
    maxRetryRequests: 0,
  })
  const { readableStreamBody, contentRange, etag } = answer
  if (!readableStreamBody) throw new CloudFault('unreachable', 'The storage sent no file.')
  // In Node it is a Readable, which the type does not say.
  const body = readableStreamBody as unknown as AsyncIterable<unknown>
  return { status: answer._response.status, etag: bare(etag), contentRange, body }
}

type PageAsked = { prefix: string; size: number; token?: string | undefined }
type Listing<P> = {
  byPage(settings: { maxPageSize: number; continuationToken?: string }): AsyncIterable<P>
}

const fileOf = ({ name, properties }: BlobItem): BlobFile => ({
  key: name,
  size: properties.contentLength ?? 0,
  etag: bare(properties.etag) ?? '',
  writtenAt: properties.lastModified,
})

const bare = (etag: string | undefined): string | undefined => etag?.replaceAll('"', '')

async function openClient(session: AzureSession, kept: KeptOutbound): Promise<ContainerClient> {
  const { AnonymousCredential, ContainerClient, newPipeline, StorageSharedKeyCredential } =
    await import('@azure/storage-blob')
  const { billing, endpoints } = session.target
  const text = (name: string) => settingOf(billing, name)
  const connection = connectionParts(text('connectionString'))
  const account = connection.get('AccountName') || text('storageAccount')
  const own = `https://${encodeURIComponent(account)}.blob.core.windows.net`
  const there = text('endpoint') || (endpoints.storage ?? connection.get('BlobEndpoint') ?? own)
  const sas = text('sasToken') || (connection.get('SharedAccessSignature') ?? '')
  const key = connection.get('AccountKey')
  const isToken = sas === '' && key === undefined
  // The SDK sends a token to https alone, also where the operator opened plain http; a key signs the address.
  const origin = (isToken ? own : there).replace(/\/$/, '')
  const query = sas === '' ? '' : `?${sas.replace(/^\?/, '')}`
  const credential = isToken
    ? session.credential
    : sas === '' && key !== undefined
      ? new StorageSharedKeyCredential(account, key)
      : new AnonymousCredential()
  const httpClient = blobHttpClient(kept, new Map(isToken ? [[own, there]] : []))
  const retryOptions = { maxTries: 3, retryDelayInMs: 500, maxRetryDelayInMs: 4_000 }
  return new ContainerClient(
    `${origin}/${encodeURIComponent(text('container'))}${query}`,
    newPipeline(credential, { httpClient, retryOptions }),
  )
}

/** `Key=value;Key=value` (Azure Storage connection strings). */
const connectionParts = (text: string): Map<string, string> =>
  new Map(
    text
      .split(';')
      .filter((part) => part.includes('='))
      .map((part) => [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1)]),
  )

/** What Storage says beside what all services of Azure say. */
function blobFault(error: unknown, session: AzureSession): CloudFault | AppError | Error {
  if (error instanceof CloudFault || !(error instanceof Error)) return session.fault(error, right)
  const { statusCode, code } = error as Error & { statusCode?: unknown; code?: unknown }
  if (statusCode === 412 || statusCode === 416 || code === 'BlobNotFound') return changed()
  const reason = reasons[String(code)]
  if (reason !== undefined) return new CloudFault('unreachable', reason)
  if (unproved.has(String(code))) return new CloudFault('denied', notProved, [right])
  // Storage says 401 and 403 both to a wrong key and to a missing right.
  if (statusCode !== 401 && statusCode !== 403) return session.fault(error, right)
  return session.fault(Object.assign(new Error(''), { code, statusCode: 403 }), right)
}

/** With 400, 401 or 403: a token that has expired or is of another service, a wrong key, a SAS that is over. */
const unproved = new Set([
  'InvalidAuthenticationInfo',
  'AuthenticationFailed',
  'NoAuthenticationInformation',
])
const notProved =
  "Azure's storage does not accept the key or token: it is wrong, has expired, or is of another account. Check billing.sasToken or billing.connectionString, or the account's own credentials."

const reasons: Readonly<Record<string, string>> = {
  ContainerNotFound: 'Azure has no such container. Check billing.container.',
  BlobArchived: 'A file of the bill is archived. Bring it back, or keep bills for longer.',
}
