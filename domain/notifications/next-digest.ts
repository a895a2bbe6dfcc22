const digestHour = 8

/** When the next daily digest is due: 08:00 UTC, always after `now`. */
export function nextDigest(now: Date): Date {
  const at = new Date(now)
  at.setUTCHours(digestHour, 0, 0, 0)
  if (at <= now) at.setUTCDate(at.getUTCDate() + 1)
  return at
}
