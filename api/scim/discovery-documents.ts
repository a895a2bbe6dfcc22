import { enterpriseUrn, groupUrn, userUrn } from '../../domain/scim/schemas.ts'
import { maxCount } from './list-query.ts'

export const serviceProviderConfig = (baseUrl: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxCount },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'SCIM token',
      description: 'A token of the organization (cc_scim_…), made in its settings.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
})

export const resourceTypes = (baseUrl: string) =>
  [
    {
      id: 'User',
      endpoint: '/Users',
      description: 'A person of the organization',
      schema: userUrn,
      schemaExtensions: [{ schema: enterpriseUrn, required: false }],
    },
    {
      id: 'Group',
      endpoint: '/Groups',
      description: 'A group, whose name may give its members a role',
      schema: groupUrn,
    },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    name: type.id,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${type.id}` },
  }))
