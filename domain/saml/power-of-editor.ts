import { lowerOf, rank, type Powers, type Role } from '../access/roles.ts'

/** Who saved or enabled an identity provider: their powers then and now. */
export type Editor = {
  savedRole: Role
  savedPlatformAdmin: boolean
  /** Null for an unknown person. */
  nowRole: Role | null
  nowPlatformAdmin: boolean | null
  /** Active and not deprovisioned. */
  nowActive: boolean | null
}

/**
 * The powers up to which an identity provider may name people: those of its editor, who controls whom it
 * names. The lower of then and now counts. An editor who is deactivated or unknown counts as an Org Admin
 * at most: they vouch for no Owner, and the organization is not locked out because somebody left.
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
