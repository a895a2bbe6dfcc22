import { lowerOf, rank, type Powers, type Role } from '../access/roles.ts'

/** Who saved or enabled an identity provider: what they were then, and what they are now. */
export type Editor = {
  savedRole: Role
  savedPlatformAdmin: boolean
  /** Null where the person is not known. */
  nowRole: Role | null
  nowPlatformAdmin: boolean | null
  /** Active and not deprovisioned. */
  nowActive: boolean | null
}

/**
 * What an identity provider may open: whoever chose it controls whom it names, so it vouches
 * for nobody above them. The lower of then and now counts. A person who is deactivated or
 * not known counts as an Org Admin at most: they vouch for no Owner, and the organization is
 * not locked out because somebody left.
 */
export function powerOfEditor(editor: Editor): Powers {
  const { savedRole, savedPlatformAdmin, nowRole, nowPlatformAdmin, nowActive } = editor
  if (nowRole === null || !nowActive)
    return {
      role: lowerOf(savedRole, lowerOf(nowRole ?? 'Org Admin', 'Org Admin')),
      platformAdmin: false,
    }
  if (nowPlatformAdmin === true) return { role: savedRole, platformAdmin: savedPlatformAdmin }
  return { role: lowerOf(savedRole, nowRole), platformAdmin: false }
}

/** Whether an identity provider of this power may name a person of these powers. */
export const mayVouchFor = (power: Powers, person: Powers): boolean =>
  power.platformAdmin || (!person.platformAdmin && rank(person.role) <= rank(power.role))
