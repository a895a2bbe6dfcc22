import { Type } from 'typebox'
import { capabilities, roles } from '../../domain/access/roles.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'

export const Login = Body({
  email: Text(254, 1),
  password: Text(1_000, 1),
  org: Type.Optional(Text(63, 1)),
})

export const AcceptInvitation = Body({
  token: Text(200, 1),
  name: Type.Optional(Text(200, 1)),
  password: Text(1_000, 1),
})

export const Organization = Type.Object({
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  status: OneOf(['active', 'suspended']),
})

export const Me = Type.Object({
  user: Type.Object({
    id: Id,
    email: Nullable(Type.String()),
    name: Type.String(),
    role: OneOf(roles),
    capabilities: Type.Array(OneOf(capabilities)),
    mfaEnabled: Type.Boolean(),
    platformAdmin: Type.Boolean(),
  }),
  organization: Organization,
  auth: Type.Object({ kind: OneOf(['session', 'token']), expiresAt: Nullable(Time) }),
  /** Where the engine shows its workflows; of platform administrators alone. */
  temporalUiUrl: Nullable(Type.String()),
})

export const SignedIn = Type.Object({
  ok: Type.Literal(true),
  user: Type.Object({
    id: Id,
    email: Nullable(Type.String()),
    name: Type.String(),
    role: OneOf(roles),
  }),
  organization: Organization,
})
