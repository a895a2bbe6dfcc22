export type JsonClient = {
  /** What a provider documents: whoever calls says which of it is read. */
  get<T>(path: string, query?: Record<string, string | number | undefined>): Promise<T>
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
  const write = async (method: string, path: string, body: object | RawBody) => {
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
    const text = answer.status === 204 ? '' : await answer.text()
    return { data: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
  }
  return {
    get: async (path, query) => JSON.parse(await (await call(path, query, json)).text()),
    head: async (path) => (await call(path, {}, json)).headers,
    text: async (path, query) => (await call(path, query)).text(),
    post: async (path, body) => write('POST', path, body),
    put: async (path, body) => write('PUT', path, body),
    async delete(path) {
      await call(path, {}, { method: 'DELETE', headers: { 'x-atlassian-token': 'no-check' } })
    },
  }
}

/** Escapes each segment of a path; slashes stay. */
export const inPath = (text: string): string => text.split('/').map(encodeURIComponent).join('/')
