import { bucketRights } from '../../../domain/clouds/rights.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import { settingOf } from '../bills/billing-settings.ts'
import { type Asked, changed, type Piece, pieceTimeoutMs } from '../bills/download.ts'
import { isRecord } from '../bills/parse-manifest.ts'
import { allPages } from '../bills/slices.ts'
import type { BillFile } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { assertParsable } from '../full-page.ts'
import { maxAnswerBytes } from '../max-answer-bytes.ts'
import type { GoogleSession } from './google-session.ts'
import { refusalOf, retriedCall } from './retried-call.ts'

/** The bucket of an account's bill. A file's etag is its generation, which each write raises. */
export interface GoogleBucket {
  first(prefix: string, signal: AbortSignal): Promise<BillFile | undefined>
  files(prefix: string, signal: AbortSignal): Promise<BillFile[]>
  /** The folders that are directly in this one, in full. */
  folders(prefix: string, signal: AbortSignal): Promise<string[]>
  piece(file: BillFile, asked: Asked): Promise<Piece>
  /** Deletes a file; one that is gone is no fault. */
  remove(file: BillFile, signal: AbortSignal): Promise<void>
  /** Of these rights, those that the credentials have in the bucket. Needs no right itself. */
  granted(asked: readonly string[], signal: AbortSignal): Promise<string[]>
}

const gone = 'Google has no such bucket. Check billing.bucket.'

/** Cloud Storage's JSON API (v1). */
export function googleBucket(session: GoogleSession, kept: KeptOutbound): GoogleBucket {
  const { billing, endpoints } = session.target
  const bucket = encodeURIComponent(settingOf(billing, 'bucket'))
  const own = settingOf(billing, 'endpoint') || endpoints.storage
  const origin = (own ?? 'https://storage.googleapis.com').replace(/\/$/, '')
  const root = `${origin}/storage/v1/b/${bucket}`
  const objects = `${root}/o`
  const authorized = async () => ({ authorization: `Bearer ${await session.token()}` })

  const get = async (url: string, action: string, signal: AbortSignal) => {
    const asked = { use: 'billing' as const, maxBytes: maxAnswerBytes, signal }
    return retriedCall({ action, gone, signal }, async () => {
      const answer = await kept.request(url, { ...asked, headers: await authorized() })
      assertParsable(answer.body)
      const text = answer.body.toString()
      if (answer.status >= 300) throw refusalOf(answer.status, text)
      const page: unknown = JSON.parse(text)
      if (!isRecord(page)) throw new CloudFault('unreachable', "Google's list cannot be read.")
      return page
    })
  }
  const list = async (query: Record<string, string>, signal: AbortSignal) =>
    get(`${objects}?${new URLSearchParams({ ...query, fields })}`, 'storage.objects.list', signal)
  const pages = async <T>(
    query: Record<string, string>,
    signal: AbortSignal,
    read: (page: Record<string, unknown>) => T[],
  ) =>
    allPages<T>(async (token) => {
      const page = await list({ ...query, ...(token && { pageToken: token }) }, signal)
      const { nextPageToken } = page
      return {
        items: read(page),
        next: typeof nextPageToken === 'string' ? nextPageToken : undefined,
      }
    })

  return {
    first: async (prefix, signal) => filesOf(await list({ prefix, maxResults: '1' }, signal))[0],
    files: async (prefix, signal) => pages({ prefix, maxResults: '1000' }, signal, filesOf),
    folders: async (prefix, signal) =>
      pages({ prefix, delimiter: '/', maxResults: '1000' }, signal, ({ prefixes }) =>
        Array.isArray(prefixes) ? prefixes.map(String) : [],
      ),
    piece: async (file, asked) =>
      retriedCall({ action: 'storage.objects.get', gone, signal: asked.signal }, async () =>
        pieceOf({ kept, objects, headers: await authorized() }, file, asked),
      ),
    remove: async (file, signal) =>
      retriedCall({ action: bucketRights[1], gone, signal }, async () =>
        removeOne({ kept, objects, headers: await authorized() }, file, signal),
      ),
    async granted(asked, signal) {
      const query = new URLSearchParams(asked.map((right) => ['permissions', right]))
      const url = `${root}/iam/testPermissions?${query}`
      const { permissions } = await get(url, 'testIamPermissions', signal)
      return Array.isArray(permissions) ? permissions.map(String) : []
    },
  }
}

type Objects = { kept: KeptOutbound; objects: string; headers: Record<string, string> }

async function removeOne(
  { kept, objects, headers }: Objects,
  { key, etag }: BillFile,
  signal: AbortSignal,
): Promise<void> {
  const url = `${objects}/${encodeURIComponent(key)}?ifGenerationMatch=${etag}`
  const asked = { use: 'billing' as const, maxBytes: maxAnswerBytes, signal }
  const { status, body } = await kept.request(url, { ...asked, method: 'DELETE', headers })
  // 412: somebody has written another file there since.
  if (status >= 300 && status !== 404 && status !== 412) throw refusalOf(status, body.toString())
}

async function pieceOf(
  at: Objects,
  { key, etag }: BillFile,
  { from, last, signal }: Asked,
): Promise<Piece> {
  const url = `${at.objects}/${encodeURIComponent(key)}?alt=media&ifGenerationMatch=${etag}`
  // Else Google unpacks what was stored as gzip, and then sends no ranges of it.
  const encoding = { 'accept-encoding': 'gzip' }
  const { status, headers, body } = await at.kept.stream(url, {
    use: 'billing',
    headers: { ...at.headers, ...encoding, range: `bytes=${from}-${last}` },
    timeoutMs: pieceTimeoutMs,
    maxBytes: Infinity,
    signal,
  })
  if (status < 300) {
    const generation = headers['x-goog-generation']
    return { status, etag: String(generation), contentRange: headers['content-range'], body }
  }
  body.destroy()
  throw [404, 412, 416].includes(status) ? changed() : refusalOf(status, '')
}

const fields = 'nextPageToken,prefixes,items(name,size,generation)'

function filesOf({ items }: Record<string, unknown>): BillFile[] {
  if (!Array.isArray(items)) return []
  return items.filter(isRecord).map(({ name, size, generation }) => ({
    key: String(name),
    // Sent as texts, since they may be larger than a number of JSON.
    size: Number(size ?? 0),
    etag: String(generation),
  }))
}
