/**
 * The seconds that an answer asks to wait by `Retry-After` (RFC 9110, 10.2.3): a number of seconds, or a moment
 * in one of the three forms of an HTTP date (5.6.7). 0 for a moment that is past; undefined for anything else.
 */
export function retryAfterSeconds(
  header: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  if (header === undefined || header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  if (!/^[A-Z][a-z]{2,8},? /.test(header)) return undefined
  // The oldest form names no zone, and Date.parse would read it in that of this host.
  const at = Date.parse(header.endsWith('GMT') ? header : `${header} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000))
}
