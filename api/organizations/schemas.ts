import { Type } from 'typebox'
import { roles } from '../../domain/access/roles.ts'
import { Id, Nullable, OneOf } from '../http/schemas.ts'
import { SamlBody } from '../saml/schemas.ts'
import { ScimTokenBody } from '../scim/token-schemas.ts'

export const GroupMappingBody = Type.Object({
  id: Id,
  groupName: Type.String(),
  role: OneOf(roles),
  /** How many people are in the group. */
  members: Type.Integer(),
})

export const SsoBody = Type.Object({
  /** Null until SAML is configured. */
  saml: Nullable(SamlBody),
  /** This service's addresses for an identity provider, which needs them before there is a configuration. */
  serviceProvider: Type.Object({
    entityId: Type.String(),
    acsUrl: Type.String(),
    sloUrl: Type.String(),
    metadataUrl: Type.String(),
  }),
  scim: Type.Object({
    baseUrl: Type.String(),
    tokens: Type.Array(ScimTokenBody),
  }),
  groupMappings: Type.Array(GroupMappingBody),
  requireSso: Type.Boolean(),
})
