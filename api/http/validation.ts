import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { AppError, invalid, notFound } from '../../domain/errors.ts'
import type { Deps } from '../deps.ts'
import { compileAnswer, compileBody, compileTexts } from './compile-schema.ts'
import { malformed, parseJsonBytes } from '../../domain/json/parse-json.ts'
import { Body } from './schemas.ts'
import { validationFault } from './validation-fault.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** A fault of the body; reported only after the ids of the path are known to exist. */
    bodyFault: AppError | undefined
  }
}

/**
 * Keeps the order of refusals: the credential first, then the ids of the path, and only then the
 * faults of the body.
 */
export function registerValidation(app: FastifyInstance, deps: Deps): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === 'body' ? compileBody(schema) : compileTexts(schema),
  )
  app.setSerializerCompiler(({ schema }) => compileAnswer(schema))
  app.decorateRequest('bodyFault')
  app.addHook('onRoute', (route) => {
    route.attachValidation = true
    // A public route must cost next to nothing: a megabyte of unknown fields took 0.34 s of CPU.
    if (route.config?.access === 'public') route.bodyLimit ??= publicBodyBytes
    if (route.config?.target) route.handler = lookingUpFirst(deps, route.handler)
  })

  app.removeContentTypeParser(['application/json', 'text/plain'])
  addJsonParser(app, 'application/json')

  app.addHook('preValidation', (request, _reply, next) => {
    if (request.body === undefined && request.routeOptions.schema?.body) request.body = {}
    if (hasOddId(request)) throw notFound()
    const nul = request.url.indexOf('%00')
    if (nul >= 0) {
      const query = request.url.indexOf('?')
      throw query < 0 || nul < query ? notFound() : invalid('The address has a NUL character.')
    }
    next()
  })

  const noFields = compileBody(Body({}))
  app.addHook('preHandler', (request, _reply, next) => {
    if (!request.validationError && !request.bodyFault && isNoMoreThanAsked(request)) next()
    // oxlint-disable-next-line promise/no-callback-in-promise -- Fastify's own way to be told
    else refuse(deps, request, noFields.errors).catch(next)
  })

  /** Routes without a body refuse fields too, so that a misplaced field is not ignored silently. */
  function isNoMoreThanAsked({ body, routeOptions }: FastifyRequest): boolean {
    const { config, schema } = routeOptions
    if (body === undefined || schema?.body || config.rawBody || config.access === 'scim')
      return true
    return noFields(body)
  }
}

/** Enough for a name, a password and an address; forms and webhooks set their own limit. */
export const publicBodyBytes = 16 * 1024

/**
 * A handler may refuse a body, or a repeated `Idempotency-Key`, before it reads what the path names. The ids are
 * looked up before such a refusal is answered, so that an id that is not there gets the same 404 with any request.
 */
const lookingUpFirst = (deps: Deps, handler: RouteHandlerMethod): RouteHandlerMethod =>
  async function lookUpFirst(request, reply) {
    try {
      return await handler.call(this, request, reply)
    } catch (error) {
      if (error instanceof AppError && (error.fault === 'invalid' || error.fault === 'conflict'))
        await assertTarget(deps, request)
      throw error
    }
  }

/** Throws the request's fault, once the ids of its path are known to exist. */
async function refuse(
  deps: Deps,
  request: FastifyRequest,
  unasked: readonly object[] | null | undefined,
): Promise<never> {
  const { validationError, bodyFault, routeOptions } = request
  // A malformed id gets the same answer as one that never existed.
  if (validationError?.validationContext === 'params') throw notFound()
  await assertTarget(deps, request)
  if (bodyFault) throw bodyFault
  throw validationFault(validationError?.validation ?? unasked ?? [], routeOptions.schema?.body)
}

/** Throws not-found unless the ids of the path, which passed their schema, exist. */
async function assertTarget({ store }: Deps, request: FastifyRequest): Promise<void> {
  const { target } = request.routeOptions.config
  const { caller, scimCaller, agentCaller } = request
  const organizationId = (scimCaller ?? agentCaller ?? caller)?.organizationId
  if (!target || organizationId === undefined) return
  const params = request.params as Record<string, number>
  const userId = caller?.userId ?? agentCaller?.agentId ?? 0
  await store.tenant(organizationId, async (tenant) => target(tenant, params, userId))
}

/** Parses bodies of this type as JSON. A fault is kept until the ids of the path were checked. */
export function addJsonParser(app: FastifyInstance, mediaType: string): void {
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    done(null, parseBody(request, bytes))
  })
}

export function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const parsed = parseJsonBytes(bytes, request.routeOptions.config?.maxMembers)
  request.bodyFault = parsed.fault === undefined ? undefined : malformed(parsed)
  return parsed.value
}

/** Ajv reads `0x1`, `1.0` and `+1` as 1 too. An id has one notation, so that each thing has one address. */
function hasOddId({ params, routeOptions }: FastifyRequest): boolean {
  // Route schemas are TypeBox objects, whose properties say which parameters are numbers.
  const { properties = {} } = (routeOptions.schema?.params ?? {}) as {
    properties?: Record<string, { type?: string }>
  }
  const texts = params as Record<string, string>
  for (const name in texts)
    if (properties[name]?.type === 'integer' && !/^(0|[1-9]\d*)$/.test(texts[name] ?? ''))
      return true
  return false
}
