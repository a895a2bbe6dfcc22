import type { ScimType } from '../../domain/errors.ts'

export const scimMediaType = 'application/scim+json'

/** RFC 7644 3.12: the status is a string, and the detail says what to do. */
export const scimErrorBody = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
})
