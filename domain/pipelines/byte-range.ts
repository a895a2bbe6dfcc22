/** What a request asks for: the whole, a part of it, or one that is not there. */
export type AskedRange =
  | { kind: 'whole' }
  | { kind: 'part'; first: number; last: number }
  | { kind: 'none' }

const whole = { kind: 'whole' } as const

/**
 * The range of a request (RFC 9110, section 14). A header that cannot be read is ignored, and so are several
 * ranges at once, as the RFC lets a server do; one that begins behind the end is answered with 416. With
 * `If-Range` of another version, or a date, the whole is sent (13.1.5).
 */
export function readRange(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  { sizeBytes, etag }: { sizeBytes: number; etag: string },
): AskedRange {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return whole
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range.replace(/\s/g, '')) ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return whole
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes)
    return length === 0
      ? { kind: 'none' }
      : { kind: 'part', first: sizeBytes - length, last: sizeBytes - 1 }
  }
  const first = Number(from)
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1)
  if (to !== '' && Number(to) < first) return whole
  return first >= sizeBytes ? { kind: 'none' } : { kind: 'part', first, last }
}

/** Whether a client has this version already (RFC 9110, section 13.1.2). */
export const isKnownVersion = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === '*' || one === etag)
