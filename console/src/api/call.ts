import { routes, type Operations } from './operations.ts'
import { reportConnection } from './connection.ts'
import { takeEarly } from './early.ts'

export type OperationId = keyof Operations
export type Answer<Id extends OperationId> = Operations[Id]['answer']
export type Body<Id extends OperationId> = Operations[Id]['body']

type Part<Name extends string, T> = {} extends T
  ? { [N in Name]?: T | undefined }
  : { [N in Name]: T }
export type Input<Id extends OperationId> = Part<'params', Operations[Id]['params']> &
  Part<'body', Operations[Id]['body']> & {
    query?: { [K in keyof Operations[Id]['query']]?: Operations[Id]['query'][K] | undefined }
    /** A body with files, of an operation that takes `multipart/form-data`. */
    form?: FormData
    /** Makes the start of a run idempotent: a request whose response was lost can be retried. */
    idempotencyKey?: string
    /** A save is refused unless it follows this version; `null`: unless it is the first. */
    followsVersion?: number | null
    signal?: AbortSignal
  }

/** An error response of the API, with its `error` and `code`. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: ReadonlyArray<{ path: string; message: string }>
  readonly existingId: number | undefined
  constructor(status: number, body: Record<string, unknown>) {
    super(typeof body['error'] === 'string' ? body['error'] : `The service answered ${status}.`)
    this.status = status
    this.code = typeof body['code'] === 'string' ? body['code'] : ''
    this.details = Array.isArray(body['details'])
      ? (body['details'] as Array<{ path: string; message: string }>)
      : []
    this.existingId = typeof body['existingId'] === 'number' ? body['existingId'] : undefined
  }
}

/** The request got no response, so it is unknown whether the service executed it. */
export class Unreachable extends Error {
  constructor() {
    super('The service does not answer. Nothing is lost here.')
  }
}

/** Whether a retry can succeed: no response, a fault of the service (5xx) or a rate limit (429). */
export const mayPass = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429))

export function pathOf(template: string, params: Record<string, unknown> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(params[name])),
  )
}

/**
 * A query string. No operation has a nested parameter; a list is sent as repeated ones. Only what is undefined is left
 * out: an empty text is a value, such as the region of what has none.
 */
export function queryText(query: unknown): string {
  const search = new URLSearchParams()
  type Value = string | number | boolean | undefined
  // Each parameter of api/openapi.json is a value or a list of them.
  const flat = (query ?? {}) as Record<string, Value | Value[]>
  for (const [name, values] of Object.entries(flat))
    for (const value of [values].flat()) if (value !== undefined) search.append(name, String(value))
  return search.toString()
}

/** Calls one operation of the public API. Types and paths are generated from api/openapi.json. */
export async function call<Id extends OperationId>(id: Id, input: Input<Id>): Promise<Answer<Id>> {
  const [method, template] = routes[id]
  const { params, body, form, query, idempotencyKey, followsVersion, signal } =
    input as Input<OperationId> & {
      params?: Record<string, unknown>
      body?: unknown
      query?: unknown
    }
  const search = queryText(query)
  const text = search === '' ? '' : `?${search}`
  const answer = await send(`${pathOf(template, params)}${text}`, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(followsVersion === null && { 'if-none-match': '*' }),
      ...(typeof followsVersion === 'number' && { 'if-match': `"${followsVersion}"` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // The browser writes the content type, which has the boundary.
    ...(form && { body: form }),
    ...(signal && { signal }),
  })
  // The server serializes the response with the schema that this type is generated from.
  return answer
}

async function send(path: string, init: RequestInit): Promise<unknown> {
  let response: Response
  try {
    const early = init.method === 'GET' ? takeEarly(path) : undefined
    response = await (early ?? fetch(path, { ...init, credentials: 'same-origin' }))
  } catch (error) {
    if (init.signal?.aborted) throw error
    reportConnection(false)
    throw new Unreachable()
  }
  const body: unknown = await response.json().catch(() => undefined)
  const fields = typeof body === 'object' && body !== null ? body : {}
  // The service always answers JSON. Anything else comes from a proxy whose service is down.
  reportConnection(response.ok || 'error' in fields)
  if (!response.ok) throw new ApiError(response.status, fields as Record<string, unknown>)
  return body
}
