import type { Projection } from '../../domain/scim/projection.ts'
import type { WantedMembers } from '../../store/scim/scim-groups.ts'

/**
 * Whether members of a single group are read. It comes with all of them. After a write, those of a
 * large group come only if they were asked for by name.
 */
export function wantedMembers(
  { wants, asksFor }: Projection,
  kind: 'read' | 'write',
): WantedMembers {
  if (!wants('members')) return 'none'
  return kind === 'read' || asksFor('members') ? 'all' : 'few'
}
