import { conflict } from '../../domain/errors.ts'

export type JsonClient = {
  /** What a provider documents: whoever calls says which of it is read. */
  get<T>(path: string, query?: Record<string, string | number | undefined>): Promise<T>
  /** The items of a list, page by page, within the limits of one list. */
  list<T>(path: string, query: Record<string, string | number>): AsyncGenerator<T, void>
  /** As `get`, with the headers, for what a provider only tells there. */
  head(path: string): Promise<Headers>
  text(path: string, query?: Record<string, string>): Promise<string>
  post<T>(path: string, body: object | RawBody): Promise<Posted<T>>
  put<T>(path: string, body: object): Promise<Posted<T>>
  delete(path: string): Promise<void>
}

/** The answer of a write: what is in its body is the caller's to name, where there is one. */
export type Posted<T> = { data: T | undefined; headers: Headers }
export type RawBody = { contentType: string; bytes: Buffer }

/** Of Data Center, and of Cloud. */
type Page<T> = {
  values: T[]
  isLastPage?: boolean
  nextPageStart?: number | null
  next?: string
}

// The limits of one list: the host is chosen by a user, and may send pages without end.
const maxPages = 100
const maxItems = 50_000
const maxListBytes = 16 * 1_048_576
const maxListMs = 60_000

/** JSON over a `fetch` of ours, for the two providers whose clients open sockets of their own. */
export function jsonClient(
  send: typeof globalThis.fetch,
  { baseUrl, authorization }: { baseUrl: string; authorization: string },
): JsonClient {
  const call = async (
    path: string,
    query: Record<string, string | number | undefined> = {},
    init: RequestInit = {},
  ) => {
    const url = new URL(`${baseUrl}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const headers = new Headers(init.headers)
    headers.set('authorization', authorization)
    return send(url, { ...init, headers })
  }
  const json = { headers: { accept: 'application/json' } }
  const write = async <T>(
    method: string,
    path: string,
    body: object | RawBody,
  ): Promise<Posted<T>> => {
    const raw = 'bytes' in body && 'contentType' in body ? body : undefined
    const answer = await call(
      path,
      {},
      {
        method,
        body: raw ? new Uint8Array(raw.bytes) : JSON.stringify(body),
        headers: {
          accept: 'application/json',
          // Data Center refuses forms without this header, as a defence against cross-site requests.
          'x-atlassian-token': 'no-check',
          'content-type': raw?.contentType ?? 'application/json',
        },
      },
    )
    const isEmpty = (await answer.text()) === ''
    return { data: isEmpty ? undefined : await valueOf<T>(answer), headers: answer.headers }
  }
  return {
    list: (path, query) => {
      const signal = AbortSignal.timeout(maxListMs)
      return pagesOf(path, query, async (at) => call(path, at, { ...json, signal }))
    },
    get: async (path, query) => valueOf(await call(path, query, json)),
    head: async (path) => (await call(path, {}, json)).headers,
    text: async (path, query) => (await call(path, query)).text(),
    post: async (path, body) => write('POST', path, body),
    put: async (path, body) => write('PUT', path, body),
    async delete(path) {
      await call(path, {}, { method: 'DELETE', headers: { 'x-atlassian-token': 'no-check' } })
    },
  }
}

/** Whoever calls says which of what a provider documents is read. */
const valueOf = async <T>(answer: Response): Promise<T> => (await answer.json()) as T

type Query = Record<string, string | number>

async function* pagesOf<T>(
  path: string,
  query: Query,
  read: (query: Query) => Promise<Response>,
): AsyncGenerator<T, void> {
  let [items, bytes] = [0, 0]
  let at = query
  for (let asked = 1; asked <= maxPages; asked += 1) {
    const answer = await read(at)
    bytes += Buffer.byteLength(await answer.text())
    if (bytes > maxListBytes) throw tooLong(path, 'bytes')
    const page = await valueOf<Page<T>>(answer)
    items += page.values.length
    if (items > maxItems) throw tooLong(path, 'items')
    yield* page.values
    const next = nextOf(page, asked)
    if (next === undefined) return
    at = { ...query, ...next }
  }
  throw tooLong(path, 'pages')
}

function nextOf(
  { isLastPage, nextPageStart, next }: Page<unknown>,
  asked: number,
): Record<string, number> | undefined {
  if (isLastPage) return undefined
  if (nextPageStart != null) return { start: nextPageStart }
  return next ? { page: asked + 1 } : undefined
}

const tooLong = (path: string, what: string) =>
  conflict('git_repository_too_large', `The host's list ${path} has more ${what} than are read.`)

/** Escapes each segment of a path; slashes stay. */
export const inPath = (text: string): string => text.split('/').map(encodeURIComponent).join('/')
