import { isDeepStrictEqual } from 'node:util'
import type { UserColumns } from '../../domain/scim/user-columns.ts'
import type { Changes, ScimTarget } from '../../store/scim/scim-log.ts'
import type { ScimUser } from '../../store/scim/scim-users.ts'

const columns = ['userName', 'externalId', 'email', 'name', 'active'] as const

/**
 * The difference for the audit log. Of the profile (addresses, phones) only the names of changed
 * attributes: the audit log is kept for ever, and personal data need not be.
 */
export function differenceOf(before: UserColumns | undefined, after: UserColumns): Changes {
  const changes: Changes = {}
  for (const column of columns) {
    const [from, to] = [before?.[column] ?? null, after[column]]
    if (from !== to) changes[column] = { from, to }
  }
  const keys = new Set([...Object.keys(before?.profile ?? {}), ...Object.keys(after.profile)])
  const profile = [...keys].filter(
    (key) => !isDeepStrictEqual(before?.profile[key], after.profile[key]),
  )
  if (profile.length > 0) changes['attributes'] = { from: null, to: profile.toSorted() }
  return changes
}

export const targetOf = ({ id, publicId, userName, email, name }: ScimUser): ScimTarget => ({
  kind: 'user',
  id,
  publicId,
  label: userName ?? email ?? name,
})
