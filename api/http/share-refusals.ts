import { isDeepStrictEqual } from 'node:util'
import { ErrorBody } from './schemas.ts'

type Response = { $ref?: string; content?: Record<string, { schema?: unknown }> }
type Document = {
  paths?: Record<string, Record<string, { responses?: Record<string, Response> }>>
  components?: { responses?: Record<string, unknown>; schemas?: Record<string, unknown> }
}

/**
 * Says each refusal once, as a component, and points to it from every route: spelled out
 * at each of them they would be nine tenths of the document.
 */
export function shareRefusals<D extends object>(openapi: D): D {
  // Three versions of OpenAPI share these parts; their types do not.
  const document = openapi as Document
  // What TypeBox keeps beside JSON Schema is not part of the document.
  const plain: unknown = JSON.parse(JSON.stringify(ErrorBody))
  for (const path of Object.values(document.paths ?? {}))
    for (const { responses = {} } of Object.values(path))
      for (const [status, response] of Object.entries(responses)) {
        const name = refusals[status]?.name
        const schema = response.content?.['application/json']?.schema
        // Some refusals are pages.
        if (name === undefined || schema === undefined) continue
        if (isDeepStrictEqual(JSON.parse(JSON.stringify(schema)), plain))
          responses[status] = { $ref: `#/components/responses/${name}` }
      }
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Error: plain },
    responses: Object.fromEntries(
      Object.values(refusals).map(({ name, description }) => [
        name,
        {
          description,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
    ),
  }
  return openapi
}

/** §7 of the contract, with what decisions §1 adds. */
const refusals: Record<string, { name: string; description: string }> = {
  400: { name: 'Invalid', description: 'Malformed body or failed validation.' },
  401: {
    name: 'Unauthenticated',
    description: 'Not signed in, or an unknown, expired or revoked token or session.',
  },
  403: { name: 'Forbidden', description: 'Signed in, without what this needs.' },
  404: {
    name: 'NotFound',
    description: 'Not found: also another organization’s id, a malformed one, a hidden surface.',
  },
  409: { name: 'Conflict', description: 'In conflict with what is there; code says with what.' },
  413: { name: 'TooLarge', description: 'The body is larger than this route takes.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not application/json.' },
  423: { name: 'Locked', description: 'Somebody else holds the lock.' },
  429: {
    name: 'RateLimited',
    description: 'Too many requests; Retry-After says how long to wait.',
  },
  500: { name: 'Internal', description: 'A fault of the service; only the request id is told.' },
  503: { name: 'Unavailable', description: 'A backing service cannot be reached.' },
}
