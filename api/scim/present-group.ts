import type { Projection } from '../../domain/scim/projection.ts'
import { groupUrn } from '../../domain/scim/schemas.ts'
import type { ScimGroup } from '../../store/scim/scim-groups.ts'
import { versionTag } from './version-tag.ts'

/** A group as RFC 7643 4.2 has it. A large group comes without its members unless they are asked for. */
export function presentGroup(
  group: ScimGroup,
  { baseUrl, projection }: { baseUrl: string; projection: Projection },
): Record<string, unknown> {
  const members = group.members?.map(({ value, display }) => ({
    value,
    $ref: `${baseUrl}/Users/${value}`,
    ...(display !== null && { display }),
  }))
  return projection.cut({
    schemas: [groupUrn],
    id: group.publicId,
    ...(group.externalId !== null && { externalId: group.externalId }),
    displayName: group.displayName,
    ...(members && { members }),
    meta: {
      resourceType: 'Group',
      created: group.createdAt.toISOString(),
      lastModified: group.updatedAt.toISOString(),
      location: `${baseUrl}/Groups/${group.publicId}`,
      version: versionTag(group.rowVersion),
    },
  })
}
