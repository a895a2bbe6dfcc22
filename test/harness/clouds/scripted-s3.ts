import { createHash } from 'node:crypto'
import type { CloudAnswer, CloudRequest } from './scripted-cloud.ts'

export type StoredFile = { body: Buffer; writtenAt: Date }

/** A bucket in the form of S3's API reference: ListObjectsV2 in pages, and GetObject with ranges and If-Match. */
export function scriptedBucket(name: string) {
  const files = new Map<string, StoredFile>()
  const state = {
    files,
    /** Changes what a file's request is answered. */
    onGet: (_key: string, answer: CloudAnswer): CloudAnswer => answer,
    put(key: string, body: string | Buffer, writtenAt = new Date('2026-11-20T00:00:00Z')) {
      files.set(key, { body: Buffer.from(body), writtenAt })
    },
    answer(request: CloudRequest): CloudAnswer {
      const path = decodeURIComponent(request.path).slice(1)
      const key = path.slice(name.length + 1)
      if (path.split('/')[0] !== name) return s3Refusal(404, 'NoSuchBucket')
      if (key === '') return listOf(files, request.query)
      const file = files.get(key)
      if (!file) return s3Refusal(404, 'NoSuchKey')
      return state.onGet(key, rangeOf(file.body, request))
    },
  }
  return state
}

const etagOf = (body: Buffer | string): string => createHash('md5').update(body).digest('hex')

export const s3Refusal = (status: number, code: string): CloudAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`,
})

function rangeOf(body: Buffer, { headers }: CloudRequest): CloudAnswer {
  const etag = `"${etagOf(body)}"`
  const wanted = headers['if-match']
  if (wanted !== undefined && wanted !== etag) return s3Refusal(412, 'PreconditionFailed')
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  if (from === undefined) return { headers: { etag }, body }
  const last = Math.min(Number(to), body.length - 1)
  return {
    status: 206,
    headers: { etag, 'content-range': `bytes ${from}-${last}/${body.length}` },
    body: body.subarray(Number(from), last + 1),
  }
}

const xmlText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const named = (key: string) => encodeURIComponent(key).replaceAll('%2F', '/')

function listOf(files: ReadonlyMap<string, StoredFile>, query: URLSearchParams): CloudAnswer {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter')
  const size = Number(query.get('max-keys') ?? 1_000)
  const after = query.get('continuation-token') ?? ''
  const folders = new Set<string>()
  const keys = [...files.keys()].filter((key) => key.startsWith(prefix)).toSorted()
  const found = keys.filter((key) => {
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length)
    if (end >= 0) folders.add(key.slice(0, end + 1))
    return end < 0 && key > after
  })
  const page = found.slice(0, size)
  const isCut = found.length > size
  const contents = page.map((key) => {
    const { body, writtenAt } = files.get(key) as StoredFile
    return `<Contents><Key>${xmlText(named(key))}</Key><LastModified>${writtenAt.toISOString()}</LastModified><ETag>&quot;${etagOf(body)}&quot;</ETag><Size>${body.length}</Size></Contents>`
  })
  const parts = [...folders].map(
    (folder) => `<CommonPrefixes><Prefix>${named(folder)}</Prefix></CommonPrefixes>`,
  )
  const next = isCut
    ? `<NextContinuationToken>${xmlText(page.at(-1) ?? '')}</NextContinuationToken>`
    : ''
  return {
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}${parts.join('')}</ListBucketResult>`,
  }
}
