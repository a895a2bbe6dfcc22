import type { CloudAnswer, CloudRequest } from './scripted-cloud.ts'

type Stored = { body: Buffer; version: number; writtenAt: Date }

/** The files of a container or of a bucket, with the answers that Azure's and Google's storages share. */
function storedFiles() {
  const files = new Map<string, Stored>()
  let version = 1_000
  return {
    files,
    put(key: string, body: string | Buffer | object, writtenAt = new Date('2026-11-20T00:00:00Z')) {
      const isBytes = typeof body === 'string' || Buffer.isBuffer(body)
      const bytes = Buffer.from(isBytes ? body : JSON.stringify(body))
      files.set(key, { body: bytes, version: (version += 1), writtenAt })
    },
    /** Those below the prefix; with a delimiter, those directly in it, and the folders. */
    list(prefix: string, delimiter: string | null) {
      const keys = [...files.keys()].filter((key) => key.startsWith(prefix)).toSorted()
      const endOf = (key: string) => (delimiter === null ? -1 : key.indexOf('/', prefix.length))
      const folders = keys.flatMap((key) => (endOf(key) < 0 ? [] : key.slice(0, endOf(key) + 1)))
      return { keys: keys.filter((key) => endOf(key) < 0), folders: [...new Set(folders)] }
    },
  }
}

function rangeOf(body: Buffer, text: string | undefined): CloudAnswer {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(text ?? '') ?? []
  if (from === undefined) return { body }
  const last = Math.min(Number(to), body.length - 1)
  const headers = { 'content-range': `bytes ${from}-${last}/${body.length}` }
  return { status: 206, headers, body: body.subarray(Number(from), last + 1) }
}

const blobRefusal = (status: number, code: string): CloudAnswer => ({
  status,
  headers: { 'x-ms-error-code': code, 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`,
})

/** A container of Azure Storage, in the form of its REST reference (List Blobs, Get Blob). */
export function scriptedContainer(name: string) {
  const stored = storedFiles()
  const state = {
    ...stored,
    onGet: (_key: string, answer: CloudAnswer): CloudAnswer => answer,
    answer({ path, query, headers }: CloudRequest): CloudAnswer {
      const [container, ...rest] = decodeURIComponent(path).slice(1).split('/')
      if (container !== name) return blobRefusal(404, 'ContainerNotFound')
      if (query.get('comp') === 'list') return listOf(query)
      const key = rest.join('/')
      const file = stored.files.get(key)
      if (!file) return blobRefusal(404, 'BlobNotFound')
      const etag = `"0x${file.version}"`
      const wanted = headers['if-match']
      if (wanted !== undefined && wanted !== etag) return blobRefusal(412, 'ConditionNotMet')
      const answer = rangeOf(file.body, String(headers['x-ms-range'] ?? headers.range))
      return state.onGet(key, { ...answer, headers: { ...answer.headers, etag } })
    },
  }
  const listOf = (query: URLSearchParams): CloudAnswer => {
    const { keys, folders } = stored.list(query.get('prefix') ?? '', query.get('delimiter'))
    const after = query.get('marker') ?? ''
    const rest = keys.filter((key) => key > after)
    const page = rest.slice(0, Number(query.get('maxresults') ?? 5_000))
    const blobs = page.map((key) => {
      const file = stored.files.get(key) as Stored
      return `<Blob><Name>${key.replaceAll('&', '&amp;')}</Name><Properties><Last-Modified>${file.writtenAt.toUTCString()}</Last-Modified><Etag>0x${file.version}</Etag><Content-Length>${file.body.length}</Content-Length><BlobType>BlockBlob</BlobType></Properties></Blob>`
    })
    const prefixes = folders.map((folder) => `<BlobPrefix><Name>${folder}</Name></BlobPrefix>`)
    const next = page.length < rest.length ? page.at(-1) : ''
    return {
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://cloud/" ContainerName="${name}"><Blobs>${blobs.join('')}${prefixes.join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
    }
  }
  return state
}

/** A bucket of Cloud Storage, in the form of its JSON API v1 (objects.list, get and delete, buckets.testIamPermissions). */
export function scriptedGoogleBucket(name: string) {
  const stored = storedFiles()
  const state = {
    ...stored,
    onGet: (_key: string, answer: CloudAnswer): CloudAnswer => answer,
    /** Rights that the credentials do not have in the bucket. */
    withheld: [] as string[],
    answer({ method, path, query, headers }: CloudRequest): CloudAnswer {
      const root = `/storage/v1/b/${name}/o`
      if (path === `/storage/v1/b/${name}/iam/testPermissions`) {
        const asked = query.getAll('permissions')
        const permissions = asked.filter((right) => !state.withheld.includes(right))
        return { body: permissions.length > 0 ? { permissions } : {} }
      }
      if (path !== root && !path.startsWith(`${root}/`)) return { status: 404, body: {} }
      if (path === root) return listOf(query)
      const key = decodeURIComponent(path.slice(root.length + 1))
      const file = stored.files.get(key)
      if (!file) return { status: 404, body: {} }
      if (query.get('ifGenerationMatch') !== String(file.version)) return { status: 412, body: {} }
      if (method === 'DELETE') {
        stored.files.delete(key)
        return { status: 204, body: '' }
      }
      const answer = rangeOf(file.body, headers.range)
      const generation = { 'x-goog-generation': String(file.version) }
      return state.onGet(key, { ...answer, headers: { ...answer.headers, ...generation } })
    },
  }
  const listOf = (query: URLSearchParams): CloudAnswer => {
    const { keys, folders } = stored.list(query.get('prefix') ?? '', query.get('delimiter'))
    const after = query.get('pageToken') ?? ''
    const rest = keys.filter((key) => key > after)
    const page = rest.slice(0, Number(query.get('maxResults') ?? 1_000))
    const items = page.map((key) => {
      const { body, version } = stored.files.get(key) as Stored
      return { name: key, size: String(body.length), generation: String(version) }
    })
    const next = page.length < rest.length && { nextPageToken: page.at(-1) }
    return { body: { items, prefixes: folders, ...next } }
  }
  return state
}
