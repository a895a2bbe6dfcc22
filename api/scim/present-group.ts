import type { Projection } from '../../domain/scim/projection.ts'
import { groupUrn } from '../../domain/scim/schemas.ts'
import {
  membersAfter,
  scimGroups,
  type GroupMember,
  type ScimGroup,
} from '../../store/scim/scim-groups.ts'
import type { Deps } from '../deps.ts'
import { versionTag } from './version-tag.ts'

/** A group as RFC 7643 4.2 has it, a large one without its members. */
export function presentGroup(
  group: ScimGroup,
  { baseUrl, projection }: { baseUrl: string; projection: Projection },
): Record<string, unknown> {
  const members = group.members?.map((member) => presentMember(member, baseUrl))
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
      version: versionTag(group.version),
    },
  })
}

const presentMember = ({ value, display }: GroupMember, baseUrl: string) => ({
  value,
  $ref: `${baseUrl}/Users/${value}`,
  ...(display !== null && { display }),
})

/**
 * The JSON of a large group with all of its members, 1,000 at a time, as fast as the client reads it: 200,000 at once
 * would hold up everybody's requests. Who becomes a member, or ceases to be one, meanwhile is in it or not; the ETag is
 * that of the beginning, so a change that names it is refused.
 */
export async function* largeGroupInPieces(
  deps: Deps,
  organizationId: number,
  { group, baseUrl, projection }: { group: ScimGroup; baseUrl: string; projection: Projection },
): AsyncGenerator<string> {
  const next = async (after: number) =>
    membersAfter(deps.store, organizationId, { groupId: group.id, after })
  const until = Date.now() + longestMs
  // Before the first piece: a store that is away is still answered as such.
  let found = await next(0)
  const head = JSON.stringify(presentGroup(group, { baseUrl, projection }))
  yield `${head.slice(0, -1)},"members":[`
  let separator = ''
  for (let last = found.at(-1); last; last = found.at(-1)) {
    const { members } = projection.cut({
      members: found.map((member) => presentMember(member, baseUrl)),
    })
    // Without the brackets of the list.
    const text = Array.isArray(members) ? JSON.stringify(members).slice(1, -1) : ''
    if (text !== '') {
      yield `${separator}${text}`
      separator = ','
    }
    if (Date.now() > until) throw new Error('a group was not read in time')
    found = await next(last.userId)
  }
  // One that was deleted meanwhile has no members, and the answer must not look whole.
  await deps.store.tenant(organizationId, async (tenant) =>
    scimGroups(tenant).get(group.publicId, 'none'),
  )
  yield ']}'
}

/** A client that reads slowly must not read on for hours after its token was revoked. */
const longestMs = 10 * 60_000
