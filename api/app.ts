import cookie from '@fastify/cookie'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { newRequestId } from './http/request-id.ts'
import type { Registry } from 'prom-client'
import type { Deps } from './deps.ts'
import { auditRoutes } from './audit/routes.ts'
import { cloudRoutes } from './clouds/routes.ts'
import { consoleDataRoutes } from './console-data/routes.ts'
import { registerConsole } from './console/console-files.ts'
import { priceRoutes } from './finops/price-routes.ts'
import { registerAccess } from './http/access.ts'
import { isHttps, strictTransport } from './http/https.ts'
import { refuseConnection } from './http/refuse-connection.ts'
import { refuseAddress, registerErrors } from './http/errors.ts'
import { refuseWhileClosing } from './http/refuse-while-closing.ts'
import { registerOpenapi } from './http/openapi.ts'
import { registerRequestsInFlight } from './http/requests-in-flight.ts'
import { registerRouteTable } from './http/route-table.ts'
import { registerValidation } from './http/validation.ts'
import { hydrationRoutes } from './git/hydration-routes.ts'
import { gitRoutes } from './git/routes.ts'
import { webhookRoutes } from './git/webhook-routes.ts'
import { groupMappingRoutes } from './organizations/group-mapping-routes.ts'
import { settingsRoutes } from './organizations/settings-routes.ts'
import { ssoRoutes } from './organizations/sso-routes.ts'
import { transferRoutes } from './organizations/transfer-routes.ts'
import { healthRoutes } from './platform/health-routes.ts'
import { observe } from './platform/metrics.ts'
import { registerLogStreams } from './runs/log-streams.ts'
import { policyRoutes } from './policies/routes.ts'
import { pipelineRoutes } from './pipelines/routes.ts'
import { pipelineRunRoutes } from './runs/run-routes.ts'
import { workspaceRunRoutes } from './runs/workspace-run-routes.ts'
import { platformRoutes } from './platform/routes.ts'
import { temporalUiRoutes } from './platform/temporal-ui.ts'
import { samlConfigurationRoutes } from './saml/configuration-routes.ts'
import { samlLogoutRoutes } from './saml/logout-routes.ts'
import { samlMetadataRoutes } from './saml/metadata-routes.ts'
import { scimLogRoutes } from './scim/log-routes.ts'
import { scimRoutes } from './scim/routes.ts'
import { scimTokenRoutes } from './scim/token-routes.ts'
import { samlAssertionRoutes, samlLoginRoutes } from './saml/sign-in-routes.ts'
import { passwordRoutes } from './sign-in/password-routes.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { secondFactorRoutes } from './sign-in/second-factor-routes.ts'
import { sessionRoutes } from './sign-in/session-routes.ts'
import { organizationTokenRoutes } from './tokens/organization-routes.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { userRoutes } from './users/routes.ts'
import { workspaceRoutes } from './workspaces/routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    deps: Deps
    metrics: Registry
  }
}

const bodyLimitBytes = 1_048_576

/** Builds the whole HTTP stack without listening: server.ts listens, tests inject. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  // Fastify's own type of a logger, so that plugins typed for it fit.
  const loggerInstance: FastifyBaseLogger = deps.log
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    genReqId: newRequestId,
    // Log lines name their request themselves. A child logger per request would cost more than its one line.
    childLoggerFactory: (logger) => logger,
    trustProxy: deps.config.trustedProxies.length > 0 ? [...deps.config.trustedProxies] : false,
    // Longer than any address that Node accepts, so that an id of any length reaches the same hooks and refusals.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    requestTimeout: 60_000,
    // refuse-while-closing.ts answers instead.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseConnection(deps.config),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // OpenTofu's http backend uses these two WebDAV methods.
  for (const method of ['LOCK', 'UNLOCK']) app.addHttpMethod(method, { hasBody: true })

  app.decorate('deps', deps)
  app.decorate('metrics', observe(app, deps))
  const https = isHttps(deps.config)
  // Hooks use callbacks: a promise per hook and request would cost more than most hooks do.
  app.addHook('onRequest', (request, reply, next) => {
    void reply.header('x-request-id', request.id)
    void reply.header('cache-control', 'no-store')
    void reply.header('x-content-type-options', 'nosniff')
    if (https) void reply.header('strict-transport-security', strictTransport)
    next()
  })
  refuseWhileClosing(app)
  app.addHook('onResponse', (request, reply, next) => {
    // Logs the route's pattern, not the address: a query string can contain secrets.
    const { method, routeOptions, caller } = request
    request.log.info(
      {
        requestId: request.id,
        method,
        route: routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        organizationId: caller?.organizationId,
      },
      'request',
    )
    next()
  })
  // Before the hooks that need a sign-in: the console's files are public.
  await registerConsole(app)
  registerRouteTable(app)
  await app.register(cookie)
  registerErrors(app)
  await registerOpenapi(app)
  registerAccess(app, deps)
  registerRequestsInFlight(app)
  registerValidation(app, deps)
  registerLogStreams(app, deps)

  await app.register(healthRoutes)
  await app.register(temporalUiRoutes)
  await app.register(
    async (api) => {
      await api.register(signInRoutes)
      await api.register(secondFactorRoutes)
      await api.register(passwordRoutes)
      await api.register(sessionRoutes)
      await api.register(samlMetadataRoutes)
      await api.register(samlLogoutRoutes)
      await api.register(samlLoginRoutes)
      await api.register(samlAssertionRoutes)
      await api.register(samlConfigurationRoutes)
      await api.register(userRoutes)
      await api.register(tokenRoutes)
      await api.register(organizationTokenRoutes)
      await api.register(settingsRoutes)
      await api.register(ssoRoutes)
      await api.register(groupMappingRoutes)
      await api.register(scimTokenRoutes)
      await api.register(scimLogRoutes)
      await api.register(scimRoutes)
      await api.register(transferRoutes)
      await api.register(consoleDataRoutes)
      await api.register(workspaceRoutes)
      await api.register(platformRoutes)
      await api.register(pipelineRoutes)
      await api.register(pipelineRunRoutes)
      await api.register(workspaceRunRoutes)
      await api.register(policyRoutes)
      await api.register(priceRoutes)
      await api.register(cloudRoutes)
      await api.register(gitRoutes)
      await api.register(webhookRoutes)
      await api.register(hydrationRoutes)
      await api.register(auditRoutes)
    },
    { prefix: '/api' },
  )
  return app
}
