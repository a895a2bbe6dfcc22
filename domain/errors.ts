/** What can go wrong, as a closed list: each renderer (JSON, SCIM, Temporal) maps it once. */
export type Fault =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'locked'
  | 'too_large'
  | 'unsupported_media_type'
  | 'upgrade_required'
  | 'rate_limited'
  | 'not_implemented'
  | 'unavailable'

/** RFC 7644 3.12: what an identity provider may act on, beside the status. */
export type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

/** `line` and `column`, from 1, if the field is a text that was compiled. */
export type ErrorDetail = { path: string; message: string; line?: number; column?: number }

export type AppErrorOptions = {
  /** Stable, in snake_case: callers branch on it. */
  code?: string
  details?: ErrorDetail[]
  existingId?: number
  /** Permissions that the credential lacks, by the provider's own names. */
  missing?: string[]
  retryAfterSeconds?: number
  scimType?: ScimType
  /** The methods of the address, for a refused method. */
  allow?: string
  cause?: unknown
}

/**
 * An error that the caller may see. `publicMessage` is sent as it is, so it never contains a secret, a
 * path or a driver's text.
 */
export class AppError extends Error {
  readonly fault: Fault
  readonly code: string
  readonly details: ErrorDetail[] | undefined
  readonly existingId: number | undefined
  readonly missing: string[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly scimType: ScimType | undefined
  readonly allow: string | undefined

  constructor(fault: Fault, publicMessage: string, options: AppErrorOptions = {}) {
    super(publicMessage, { cause: options.cause })
    this.name = 'AppError'
    this.fault = fault
    this.code = options.code ?? fault
    this.details = options.details
    this.existingId = options.existingId
    this.missing = options.missing
    this.retryAfterSeconds = options.retryAfterSeconds
    this.scimType = options.scimType
    this.allow = options.allow
  }
}

/** One body for another organization's id, a malformed one and one that never existed, so that ids cannot be probed. */
export const notFound = () => new AppError('not_found', 'Not found')

export const invalid = (message: string, details?: ErrorDetail[], code = 'invalid') =>
  new AppError('invalid', message, details ? { details, code } : { code })

export const conflict = (code: string, message: string, existingId?: number) =>
  new AppError('conflict', message, existingId === undefined ? { code } : { code, existingId })

export const unavailable = (code: string, message: string, cause?: unknown) =>
  new AppError('unavailable', message, { code, cause })
