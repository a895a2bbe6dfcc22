import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid, type Fault, type ScimType } from '../../domain/errors.ts'
import { isHttps, strictTransport } from './https.ts'
import { isBrowserAddress } from '../../domain/saml/is-browser-address.ts'
import { isScimAddress } from '../../domain/scim/scim-address.ts'
import { toFault } from '../../store/driver/connect.ts'
import { pageHeaders, troublePage } from '../saml/pages.ts'
import { scimErrorBody, scimMediaType } from './scim-error-body.ts'

export const statusOf: Record<Fault, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  locked: 423,
  upgrade_required: 426,
  rate_limited: 429,
  not_implemented: 501,
  unavailable: 503,
}

/**
 * Renders errors as the JSON error object, and SCIM's as its envelope. Routes may have a renderer of
 * their own. An unknown error is a 500 that shows its request id alone.
 */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => render(error, request, reply))
}

/** Answers an address that is not valid UTF-8: it reaches no route and no hook. */
export function refuseAddress(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  void reply.headers({
    'x-request-id': request.id,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(isHttps(request.server.deps.config) && { 'strict-transport-security': strictTransport }),
  })
  let refusal = fromFramework(error) ?? invalid('Bad request', undefined, 'bad_request')
  try {
    request.server.rateLimits.takeAddress(request, reply)
  } catch (limited) {
    if (limited instanceof AppError) refusal = limited
  }
  send(refusal, request, reply)
}

function render(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const error = refusalOf(thrown, request.routeOptions.bodyLimit)
  if (!error) {
    request.log.error({ err: thrown, requestId: request.id }, 'request failed')
    const message = `Something went wrong on our side. The request id is ${request.id}.`
    if (isScim(request)) return sendScim(request, reply, { status: 500, detail: message })
    return reply.status(500).send({ error: message, code: 'internal' })
  }
  if (error.fault === 'unavailable')
    request.log.warn({ err: thrown, requestId: request.id }, 'a backing service is down')
  return send(error, request, reply)
}

function send(error: AppError, request: FastifyRequest, reply: FastifyReply) {
  const status = statusOf[error.fault]
  if (error.retryAfterSeconds !== undefined)
    void reply.header('retry-after', String(error.retryAfterSeconds))
  if (error.allow !== undefined) void reply.header('allow', error.allow)
  // RFC 9110 15.5.2. Bearer is the scheme for which a browser does not ask its user for a password.
  if (status === 401 && !reply.hasHeader('www-authenticate'))
    void reply.header('www-authenticate', 'Bearer realm="cloud-control"')
  if (isScim(request))
    return sendScim(request, reply, {
      status,
      detail: scimDetailOf(error),
      scimType: scimTypeOf(error),
    })
  // These addresses have renderers of their own; here no route matched.
  if (isBrowserAddress(request.url))
    return reply.status(status).headers(pageHeaders).send(troublePage(request.id))
  return reply.status(status).send({
    error: error.message,
    code: error.code,
    ...(error.details && { details: error.details }),
    ...(error.missing && { missing: error.missing }),
    ...(error.existingId !== undefined && { existingId: error.existingId }),
  })
}

/** What the caller is told; undefined is a 500. */
export function refusalOf(thrown: FastifyError, bodyLimit?: number): AppError | undefined {
  const error = fromFramework(thrown, bodyLimit) ?? toFault(thrown)
  return error instanceof AppError ? error : undefined
}

function sendScim(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, detail, scimType }: { status: number; detail: string; scimType?: ScimType | undefined },
) {
  request.scimRefusal = { status, scimType, detail }
  return reply
    .status(status)
    .type(scimMediaType)
    .send(scimErrorBody(status, detail, scimType))
}

/** By the route if there is one, so that an escape in the address does not change the renderer. */
const isScim = ({ routeOptions, url }: FastifyRequest): boolean =>
  isScimAddress(routeOptions.url ?? url)

const scimDetailOf = ({ fault, message }: AppError): string =>
  fault === 'unsupported_media_type' ? 'Send application/scim+json or application/json.' : message

const scimTypeOf = ({ fault, scimType }: AppError): ScimType | undefined =>
  scimType ?? (fault === 'invalid' ? 'invalidSyntax' : undefined)

const tooLarge = (bodyLimit: number | undefined): string =>
  bodyLimit === undefined
    ? 'The body is larger than this route takes.'
    : `The body is larger than the ${Math.floor(bodyLimit / 1_024)} KiB that this route takes.`

/** Translates Fastify's own errors. */
function fromFramework(error: FastifyError, bodyLimit?: number): AppError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('too_large', tooLarge(bodyLimit), { code: 'body_too_large' })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'Send application/json.', {
        code: 'unsupported_media_type',
      })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return new AppError('invalid', 'The request is malformed.', { code: 'malformed_request' })
    default:
      return undefined
  }
}
