import type { Projection } from '../../domain/scim/projection.ts'
import type { WantedMembers } from '../../store/scim/scim-groups.ts'

/**
 * Whether members are read. A single group comes with all of them. After a write, those of a large
 * group come only if they were asked for by name. In a list they never do: 200 groups could be 200
 * times everybody.
 */
export function wantedMembers(
  { wants, asksFor }: Projection,
  kind: 'list' | 'read' | 'write',
): WantedMembers {
  if (!wants('members')) return 'none'
  if (kind === 'list') return 'few'
  return kind === 'read' || asksFor('members') ? 'all' : 'few'
}
