import { Type, type Static } from 'typebox'
import type { ScimToken } from '../../store/tokens/tokens.ts'
import { Id, Nullable, Time } from '../http/schemas.ts'

export const ScimTokenBody = Type.Object({
  id: Id,
  name: Type.String(),
  createdAt: Time,
  lastUsedAt: Nullable(Time),
  createdBy: Nullable(Type.String()),
})

export const presentScimToken = ({
  createdAt,
  lastUsedAt,
  ...token
}: ScimToken): Static<typeof ScimTokenBody> => ({
  ...token,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})
