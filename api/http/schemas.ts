import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import { maxId } from '../../domain/max-id.ts'
import { Cursor } from './pattern.ts'

/** A body that refuses unknown fields. */
export const Body = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

export const Id = Type.Integer({ minimum: 1, maximum: maxId })
export const Text = (maxLength = 1_000, minLength = 0) => Type.String({ minLength, maxLength })
/** Of a route that takes no query parameters: an unknown one is 400. */
export const NoQuery = Type.Object({}, { additionalProperties: false })
export const Time = Type.String({ format: 'date-time' })

/**
 * Null, or what the schema says. As a list of types where possible: for `anyOf` the serializer would
 * validate each value to find out which schema it matches.
 */
export function Nullable<T extends TSchema>(schema: T) {
  // TypeBox's own properties are not enumerable, so this copies plain JSON Schema.
  const { type, enum: values, ...rest } = schema as { type?: unknown; enum?: unknown[] }
  const nullable =
    typeof type === 'string' && !('const' in rest)
      ? { ...rest, type: [type, 'null'], ...(values && { enum: [...values, null] }) }
      : { anyOf: [schema, { type: 'null' }] }
  return Type.Unsafe<Static<T> | null>(nullable)
}
export const OneOf = <const V extends readonly string[]>(
  values: V,
  options: { description?: string } = {},
) => Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })
export const Ok = Type.Object({ ok: Type.Literal(true) })
export const IdParams = Type.Object({ id: Id })

export const Page = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Cursor('^[0-9]{1,15}$')),
})
/** A page filtered by name: any part of it, ignoring case. */
export const NamedPage = Type.Object({ ...Page.properties, q: Type.Optional(Text(200, 1)) })
export const NextCursor = Nullable(Type.String())

export const ErrorBody = Type.Object({
  error: Type.String(),
  code: Type.String(),
  details: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String(),
        message: Type.String(),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
      }),
    ),
  ),
  missing: Type.Optional(Type.Array(Type.String())),
  existingId: Type.Optional(Id),
})

type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 423 | 426 | 429 | 431 | 500 | 503

/** The schemas of a route's errors. Those that any route can answer are added to each. */
export function errors(...statuses: ErrorStatus[]): Record<number, typeof ErrorBody> {
  const all = [...statuses, 400, 401, 403, 404, 413, 415, 429, 431, 500, 503]
  return Object.fromEntries(all.map((status) => [status, ErrorBody]))
}
