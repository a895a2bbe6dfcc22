import type { Projection } from '../../domain/scim/projection.ts'
import { enterpriseUrn, userUrn } from '../../domain/scim/schemas.ts'
import { documentOf } from '../../domain/scim/user-columns.ts'
import type { ScimUser } from '../../store/scim/scim-users.ts'
import { versionTag } from './version-tag.ts'

/** A person as RFC 7643 4.1 has it, without the attributes that were excluded. */
export function presentUser(
  user: ScimUser,
  { baseUrl, projection }: { baseUrl: string; projection: Projection },
): Record<string, unknown> {
  const document = documentOf(user, user.publicId)
  const groups = user.groups?.map(({ value, display }) => ({
    value,
    $ref: `${baseUrl}/Groups/${value}`,
    display,
  }))
  return projection.cut({
    schemas: [userUrn, ...(document[enterpriseUrn] ? [enterpriseUrn] : [])],
    id: user.publicId,
    ...document,
    ...(groups && groups.length > 0 && { groups }),
    roles: [{ value: user.role, primary: true }],
    meta: {
      resourceType: 'User',
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: `${baseUrl}/Users/${user.publicId}`,
      version: versionTag(user.version),
    },
  })
}
