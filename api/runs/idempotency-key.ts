import { Type } from 'typebox'
import { invalid } from '../../domain/errors.ts'

/** `Idempotency-Key`, for every POST that starts work. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
})

export function idempotencyKey(headers: Record<string, unknown>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return key
  throw invalid('The Idempotency-Key has visible ASCII characters only.')
}
