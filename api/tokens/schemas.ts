import { Type, type Static } from 'typebox'
import { roles } from '../../domain/access/roles.ts'
import type { ApiToken, OwnedToken } from '../../store/tokens/tokens.ts'
import { OneLine } from '../http/one-line.ts'
import { Body, Id, NextCursor, Nullable, OneOf, Time } from '../http/schemas.ts'

const tokenFields = {
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  role: OneOf(roles),
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: Nullable(Time),
}
const TokenBody = Type.Object(tokenFields)

/** A token with its owner, whose role limits it. */
const OwnedTokenBody = Type.Object({
  ...tokenFields,
  user: Type.Object({ id: Id, email: Nullable(Type.String()), name: Type.String() }),
})

export const NewTokenBody = Body({
  name: OneLine(200),
  role: OneOf(roles),
  expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 90 })),
})

/** The token itself is shown here, once. */
export const NewTokenAnswer = Type.Object({
  ok: Type.Literal(true),
  token: Type.String(),
  ...tokenFields,
})

export const TokenList = Type.Object({ tokens: Type.Array(TokenBody), nextCursor: NextCursor })
export const OwnedTokenList = Type.Object({
  tokens: Type.Array(OwnedTokenBody),
  nextCursor: NextCursor,
})

export const presentToken = (token: ApiToken): Static<typeof TokenBody> => ({
  id: token.id,
  name: token.name,
  prefix: token.prefix,
  role: token.role,
  createdAt: token.createdAt.toISOString(),
  expiresAt: token.expiresAt.toISOString(),
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
})

export const presentOwnedToken = (token: OwnedToken): Static<typeof OwnedTokenBody> => ({
  ...presentToken(token),
  user: { id: token.userId, email: token.userEmail, name: token.userName },
})
