import cookie from '@fastify/cookie'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { newRequestId } from './http/request-id.ts'
import type { Registry } from 'prom-client'
import type { Deps } from './deps.ts'
import { agentPlugin } from './agents/plugin.ts'
import { auditRoutes } from './audit/routes.ts'
import { issuerRoutes } from './clouds/issuer-routes.ts'
import { cloudRoutes } from './clouds/routes.ts'
import { consoleDataRoutes } from './console-data/routes.ts'
import { artifactRoutes } from './artifacts/routes.ts'
import { registerConsole } from './console/console-files.ts'
import { finopsPlugin } from './finops/plugin.ts'
import { gitPlugin } from './git/plugin.ts'
import { uploadTimeoutMs } from './finops/uploads/upload-routes.ts'
import { registerAccess } from './http/access.ts'
import { registerCompression } from './http/compress-answers.ts'
import { registerBodyTimeout } from './http/body-timeout.ts'
import { refuseAddress, registerErrors } from './http/errors.ts'
import { isHttps, strictTransport } from './http/https.ts'
import { registerOpenapi } from './http/openapi.ts'
import { refuseConnection } from './http/refuse-connection.ts'
import { refuseWhileClosing } from './http/refuse-while-closing.ts'
import { registerRequestsInFlight } from './http/requests-in-flight.ts'
import { registerRouteTable } from './http/route-table.ts'
import { registerUnreadAnswers } from './http/unread-answers.ts'
import { registerUnreadBodies } from './http/unread-bodies.ts'
import { registerValidation } from './http/validation.ts'
import { registerWhenOver } from './http/when-over.ts'
import { manifestRoutes } from './manifest/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { organizationPlugin } from './organizations/plugin.ts'
import { pipelineRoutes } from './pipelines/routes.ts'
import { healthRoutes } from './platform/health-routes.ts'
import { observe } from './platform/metrics.ts'
import { platformRoutes } from './platform/routes.ts'
import { temporalUiRoutes } from './platform/temporal-ui.ts'
import { policyRoutes } from './policies/routes.ts'
import { signingRoutes } from './signing/routes.ts'
import { registerLogStreams } from './runs/log-streams.ts'
import { runPlugin } from './runs/plugin.ts'
import { samlPlugin } from './saml/plugin.ts'
import { scimPlugin } from './scim/plugin.ts'
import { withoutExtraSlashes } from './scim/without-extra-slashes.ts'
import { signInPlugin } from './sign-in/plugin.ts'
import { tokenPlugin } from './tokens/plugin.ts'
import { userRoutes } from './users/routes.ts'
import { workspacePlugin } from './workspaces/plugin.ts'
import { addRoutes } from './http/add-routes.ts'

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
    rewriteUrl: ({ url = '/' }) => withoutExtraSlashes(url),
    // Longer than any address that Node accepts, so that an id of any length reaches the same hooks and refusals.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    // Of any body: most have less (api/http/body-timeout.ts).
    requestTimeout: uploadTimeoutMs + 60_000,
    // refuse-while-closing.ts answers instead.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseConnection(deps.config),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // OpenTofu's http backend uses these two WebDAV methods.
  for (const method of ['LOCK', 'UNLOCK']) app.addHttpMethod(method, { hasBody: true })

  app.decorate('deps', deps)
  registerWhenOver(app)
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
  registerBodyTimeout(app)
  registerUnreadBodies(app)
  registerUnreadAnswers(app)
  app.whenOver((request, reply, answered) => {
    // Logs the route's pattern, not the address: a query string can contain secrets.
    const { method, routeOptions, caller, agentCaller } = request
    request.log.info(
      {
        requestId: request.id,
        method,
        route: routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        organizationId: (caller ?? agentCaller)?.organizationId,
        ...(!answered && { aborted: true }),
      },
      'request',
    )
  })
  // Before the hooks that need a sign-in: the console's files are public.
  await registerConsole(app)
  registerRouteTable(app)
  registerCompression(app)
  await app.register(cookie)
  registerErrors(app)
  await registerOpenapi(app)
  registerAccess(app, deps)
  registerRequestsInFlight(app)
  registerValidation(app, deps)
  registerLogStreams(app, deps)

  await addRoutes(app, healthRoutes, temporalUiRoutes, issuerRoutes)
  await app.register(
    async (api) => {
      // One line a noun: its plugin, or its only file of routes.
      await addRoutes(
        api,
        signInPlugin,
        samlPlugin,
        userRoutes,
        tokenPlugin,
        organizationPlugin,
        scimPlugin,
        consoleDataRoutes,
        workspacePlugin,
        platformRoutes,
        pipelineRoutes,
        manifestRoutes,
        runPlugin,
        artifactRoutes,
        signingRoutes,
        agentPlugin,
        policyRoutes,
        finopsPlugin,
        cloudRoutes,
        notificationRoutes,
        gitPlugin,
        auditRoutes,
      )
    },
    { prefix: '/api' },
  )
  return app
}
