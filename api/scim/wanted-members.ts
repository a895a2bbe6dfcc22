import type { Projection } from '../../domain/scim/projection.ts'
import type { WantedMembers } from '../../store/scim/scim-groups.ts'

/** Whether members are read with their group, which those of a large one never are. */
export const wantedMembers = ({ wants }: Projection): WantedMembers =>
  wants('members') ? 'few' : 'none'

/**
 * Whether an answer has all members of a large group. A read has, by the group's id. The answer to a write has them
 * only if they were asked for by name.
 */
export const wantsAllMembers = ({ wants, asksFor }: Projection, kind: 'read' | 'write'): boolean =>
  wants('members') && (kind === 'read' || asksFor('members'))
