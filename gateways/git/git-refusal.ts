import { AppError } from '../../domain/errors.ts'
import { retryAfterSeconds } from '../outbound/retry-after.ts'

/** A provider's error answer: its status, and its own reason if it sent one as JSON. */
export class GitRefusal extends AppError {
  readonly status: number
  readonly reason: string | undefined
  readonly headers: Headers

  constructor(provider: string, answer: { status: number; reason?: string; headers: Headers }) {
    const { status, reason, headers } = answer
    const told = reason ? `: ${reason}` : ` (${status}).`
    const limitedFor = secondsLimited(status, headers, reason)
    const limited = limitedFor !== undefined
    const after = retryAfterOf(headers)
    super(
      limited || status >= 500 || status === 401 || status === 403 ? 'unavailable' : 'conflict',
      limited
        ? `${provider} limits how often it may be asked. Try again in ${limitedFor} s.`
        : status === 401
          ? `${provider} rejected the token${told}`
          : status >= 500
            ? `${provider} is having trouble${told}`
            : `${provider} refused${told}`,
      {
        code: limited ? 'git_rate_limited' : codeOf(status),
        ...(limited && { retryAfterSeconds: limitedFor }),
        ...(status === 503 && after > 0 && { retryAfterSeconds: Math.min(3_600, after) }),
      },
    )
    this.name = 'GitRefusal'
    this.status = status
    this.reason = reason
    this.headers = headers
  }
}

function codeOf(status: number): string {
  if (status === 401) return 'git_token_rejected'
  if (status === 403) return 'git_forbidden'
  if (status === 404) return 'git_not_found'
  return status >= 500 ? 'git_provider_unavailable' : 'git_refused'
}

/** When to retry: from `Retry-After`, or from when the quota is reset. */
function secondsLimited(status: number, headers: Headers, reason = ''): number | undefined {
  const after = retryAfterOf(headers)
  const spent = headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining')
  // GitHub's secondary limits may come without a header, and are then over after a minute.
  const told = spent === '0' || after > 0 || /rate limit/i.test(reason)
  const limited = status === 429 || (status === 403 && told)
  if (!limited) return undefined
  if (after > 0) return Math.min(3_600, after)
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset'))
  const seconds = reset > 0 ? Math.ceil(reset - Date.now() / 1_000) : 60
  return Math.min(3_600, Math.max(1, seconds))
}

const retryAfterOf = (headers: Headers) => retryAfterSeconds(headers.get('retry-after')) ?? 0

/** The provider's refusal inside of a client library's error. */
export function refusalOf(error: unknown): AppError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at
  return undefined
}

export const isStatus = (error: unknown, ...statuses: number[]): boolean => {
  const refusal = refusalOf(error)
  return refusal instanceof GitRefusal && statuses.includes(refusal.status)
}
