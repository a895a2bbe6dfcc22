import { Type } from 'typebox'
import { roles } from '../../domain/access/roles.ts'
import { OneLine } from '../http/one-line.ts'
import { Body, Id, Nullable, OneOf, Text, Time } from '../http/schemas.ts'

const Attribute = Type.Optional(Nullable(OneLine(500, 0)))

/** An omitted field keeps its value, null clears it. */
export const SamlInput = Body({
  metadataXml: Type.Optional(Nullable(Text(500_000, 1))),
  idpEntityId: Type.Optional(Nullable(OneLine(1_024))),
  ssoUrl: Type.Optional(Nullable(OneLine(2_000))),
  sloUrl: Type.Optional(Nullable(OneLine(2_000, 0))),
  certificate: Type.Optional(Nullable(Text(100_000, 1))),
  defaultRole: Type.Optional(Nullable(OneOf(roles))),
  emailDomains: Type.Optional(Nullable(Type.Array(OneLine(255), { maxItems: 50 }))),
  attrEmail: Attribute,
  attrName: Attribute,
  attrGroups: Attribute,
})

const Certificate = Type.Object({
  /** SHA-256 of the certificate; the certificate itself is not returned. */
  fingerprint: Type.String(),
  notBefore: Time,
  notAfter: Time,
  state: OneOf(['valid', 'expiring', 'expired', 'not_yet_valid']),
})

const Domain = Type.Object({
  domain: Type.String(),
  proved: Type.Boolean(),
  checkedAt: Nullable(Time),
  /** The DNS record that proves the domain. */
  record: Type.Object({ name: Type.String(), type: OneOf(['TXT']), value: Type.String() }),
})

export const SamlBody = Type.Object({
  idpEntityId: Type.String(),
  ssoUrl: Type.String(),
  sloUrl: Nullable(Type.String()),
  certificateSet: Type.Boolean(),
  certificates: Type.Array(Certificate),
  defaultRole: OneOf(roles),
  emailDomains: Type.Array(Type.String()),
  domains: Type.Array(Domain),
  /** Whether a domain must be proved before it routes sign-ins here. */
  domainProofRequired: Type.Boolean(),
  attrEmail: Nullable(Type.String()),
  attrName: Nullable(Type.String()),
  attrGroups: Nullable(Type.String()),
  enabled: Type.Boolean(),
  /** The highest role that the provider can sign in: the lower of its editor's role then and now. */
  signsInUpTo: OneOf(roles),
  acsUrl: Type.String(),
  spSloUrl: Type.String(),
  spMetadataUrl: Type.String(),
  spCertificate: Nullable(Type.String()),
  sloReady: Type.Boolean(),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
})

export const SamlTraceBody = Type.Object({
  id: Id,
  at: Time,
  kind: OneOf(['login', 'test', 'logout']),
  outcome: OneOf(['success', 'failure']),
  step: Type.String(),
  cause: Nullable(Type.String()),
  /** Names and times from the provider's message, and the values of mapped attributes alone. */
  detail: Type.Record(Type.String(), Type.Unknown()),
  requestId: Nullable(Type.String()),
})
