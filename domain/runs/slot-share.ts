/**
 * How many of one worker's slots the steps of one organization may hold. An apply is never interrupted
 * and may take hours, so a slot that others can count on must not be given away in the first place:
 * three quarters, rounded up, and never all. An installation with one organization uses all of them.
 */
export function slotShare(slots: number, { hasOthers }: { hasOthers: boolean }): number {
  if (!hasOthers) return slots
  return Math.max(1, Math.min(slots - 1, Math.ceil((slots * 3) / 4)))
}
