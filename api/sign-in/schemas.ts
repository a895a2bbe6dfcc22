import { Type } from 'typebox'
import { maxPasswordLength } from '../../domain/access/password-rules.ts'
import { capabilities, roles } from '../../domain/access/roles.ts'
import { OneLine } from '../http/one-line.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'

export const Email = Text(254, 1)
export const Password = Text(maxPasswordLength, 1)
/** Six digits or a recovery code; spaces and hyphens are ignored. */
export const Code = Text(50, 1)

export const Login = Body({
  email: Email,
  password: Password,
  org: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'Slug. Needed where the address is in more than two organizations.',
    }),
  ),
})

export const VerifyCode = Body({ mfaToken: Text(200, 1), code: Code })

export const AcceptInvitation = Body({
  token: Text(200, 1),
  name: Type.Optional(OneLine(200)),
  password: Password,
})

export const LookAtInvitation = Body({ token: Text(200, 1) })

export const InvitationBody = Type.Object({
  organizationName: Type.String(),
  email: Nullable(Type.String()),
  name: Type.String(),
  role: OneOf(roles),
  inviter: Nullable(Type.String({ description: 'Null for the first Owner of an organization.' })),
  expiresAt: Time,
})

const Organization = Type.Object({
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
  auth: Type.Object({
    kind: OneOf(['session', 'token']),
    expiresAt: Nullable(Time),
    mayChangeCredentials: Type.Boolean({
      description:
        'Whether this session changes password, second factor, tokens and sessions of its account. One of an identity provider does not, unless the account has no password.',
    }),
  }),
  /** The address of Temporal's UI, for platform administrators alone. */
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

export const LoginAnswer = Type.Union([
  SignedIn,
  Type.Object({
    ok: Type.Literal(true),
    mfaRequired: Type.Literal(true),
    mfaToken: Type.String({ description: 'For POST /api/auth/mfa/verify, within 5 minutes.' }),
  }),
])
