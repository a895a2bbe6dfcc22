import { isDeepStrictEqual } from 'node:util'
import { ErrorBody } from './schemas.ts'
import { scimMediaType } from './scim-error-body.ts'
import { ScimErrorBody } from './scim-schemas.ts'

type Response = { $ref?: string; content?: Record<string, { schema?: unknown }> }
type Document = {
  paths?: Record<string, Record<string, { responses?: Record<string, Response> }>>
  components?: { responses?: Record<string, unknown>; schemas?: Record<string, unknown> }
}

/**
 * Puts each error into the document once, as a component that every route refers to. Repeated at each
 * route they would be nine tenths of the document.
 */
export function shareRefusals<D extends object>(openapi: D): D {
  // Three versions of OpenAPI share these parts; their types do not.
  const document = openapi as Document
  // TypeBox's own properties are not part of the document.
  const plain = plainOf(ErrorBody)
  const scim = plainOf(ScimErrorBody)
  for (const path of Object.values(document.paths ?? {}))
    for (const { responses = {} } of Object.values(path))
      for (const [status, response] of Object.entries(responses)) {
        const name = refusals[status]?.name
        const schemaOf = (type: string) => plainOf(response.content?.[type]?.schema ?? null)
        if (name === undefined) continue
        if (isDeepStrictEqual(schemaOf('application/json'), plain))
          responses[status] = { $ref: `#/components/responses/${name}` }
        else if (isDeepStrictEqual(schemaOf(scimMediaType), scim))
          responses[status] = { $ref: `#/components/responses/Scim${name}` }
      }
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Error: plain, ScimError: scim },
    responses: Object.fromEntries(
      Object.values(refusals).flatMap(({ name, description }) => [
        [name, described(description, 'application/json', 'Error')],
        [`Scim${name}`, described(description, scimMediaType, 'ScimError')],
      ]),
    ),
  }
  return openapi
}

const plainOf = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema))

const described = (description: string, type: string, schema: string) => ({
  description,
  content: { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } },
})

/** The refusals of the API by status, for the OpenAPI document. */
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
  405: { name: 'MethodNotAllowed', description: 'Allow says which methods there are.' },
  409: { name: 'Conflict', description: 'In conflict with what is there; code says with what.' },
  412: { name: 'PreconditionFailed', description: 'Somebody else has changed it since: If-Match.' },
  413: { name: 'TooLarge', description: 'The body is larger than this route takes.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not application/json.' },
  423: { name: 'Locked', description: 'Somebody else holds the lock.' },
  429: {
    name: 'RateLimited',
    description:
      'Too many requests a minute (rate_limited), at once (too_many_at_once), log streams (too_many_streams), large downloads (too_many_downloads), tests of notifications (too_many_tests) or syncs of cloud accounts (too_many_syncs); Retry-After says how long to wait.',
  },
  431: {
    name: 'HeadersTooLarge',
    description: 'Address and headers together are over 16 KiB; no request was read.',
  },
  500: { name: 'Internal', description: 'A fault of the service; only the request id is told.' },
  501: { name: 'NotImplemented', description: 'A part of SCIM that is not supported here.' },
  503: { name: 'Unavailable', description: 'A backing service cannot be reached.' },
}
