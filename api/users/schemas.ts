import { Type, type Static } from 'typebox'
import { roles } from '../../domain/access/roles.ts'
import type { User } from '../../store/users/users.ts'
import { OneLine } from '../http/one-line.ts'
import { QueryText } from '../http/pattern.ts'
import { Body, Id, Nullable, OneOf, Page, Time } from '../http/schemas.ts'

const Email = Type.String({ format: 'email', maxLength: 254 })

export const UserBody = Type.Object({
  id: Id,
  email: Nullable(Type.String()),
  name: Type.String(),
  role: OneOf(roles),
  active: Type.Boolean(),
  /** Invited, and never signed in. */
  invited: Type.Boolean(),
  createdAt: Time,
})

export const UserQuery = Type.Object({
  ...Page.properties,
  /** Part of a name or an address. */
  q: Type.Optional(QueryText({ minLength: 1, maxLength: 200 })),
  role: Type.Optional(OneOf(roles)),
  active: Type.Optional(Type.Boolean()),
})

export const NewUserBody = Body({ email: Email, name: OneLine(200), role: OneOf(roles) })

export const UserChangeBody = Body({
  name: Type.Optional(OneLine(200)),
  email: Type.Optional(Email),
  role: Type.Optional(OneOf(roles)),
  active: Type.Optional(Type.Boolean()),
})

export const UserAnswer = Type.Object({ ok: Type.Literal(true), user: UserBody })

export const InvitedAnswer = Type.Object({
  ...UserAnswer.properties,
  mailed: Type.Boolean({
    description: 'False where the service sends no mail: then the caller hands the link over.',
  }),
})

export const presentUser = (user: User): Static<typeof UserBody> => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  active: user.active,
  invited: user.invited,
  createdAt: user.createdAt.toISOString(),
})
