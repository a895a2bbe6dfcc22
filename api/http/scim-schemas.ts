import { Type, type TSchema } from 'typebox'
import { scimMediaType } from './scim-error-body.ts'

export const ScimErrorBody = Type.Object({
  schemas: Type.Array(Type.String()),
  status: Type.String(),
  scimType: Type.Optional(Type.String()),
  detail: Type.String(),
})

/** A SCIM resource as /Schemas describes it. Unknown attributes are ignored. */
export const ScimBody = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
})

export const scimAnswer = (description: string, schema: TSchema = ScimBody) => ({
  description,
  content: { [scimMediaType]: { schema } },
})

type ScimStatus = 409 | 412

/** The schemas of a SCIM route's errors (RFC 7644 3.12). Those that any route can answer are added to each. */
export function scimErrors(...statuses: ScimStatus[]): Record<number, unknown> {
  const all = [...statuses, 400, 401, 403, 404, 413, 415, 429, 431, 500, 503]
  return Object.fromEntries(all.map((status) => [status, scimAnswer('Refused', ScimErrorBody)]))
}

/** 204 without a body, and the refusals. */
export const scimDeletion = (...statuses: ScimStatus[]): Record<number, unknown> => ({
  204: { description: 'It is gone.', type: 'null' },
  ...scimErrors(...statuses),
})
