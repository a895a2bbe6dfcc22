import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { pageHeaders } from '../console/page-headers.ts'
import { notFound } from '../../domain/errors.ts'
import { refusalOf } from './errors.ts'
import { docsTheme } from './docs-theme.ts'
import { nounOf, nouns } from './nouns-of-routes.ts'
import { sayNoNul } from './say-no-nul.ts'
import { shareRefusals } from './share-refusals.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The parts of a `multipart/form-data` body, for the OpenAPI document: they are checked while they are received. */
    form?: TSchema
  }
}

/** As the console's pages; its own icons are data in its style sheet. */
const docsHeaders = pageHeaders({ images: ' data:' })

/** OpenAPI 3.1 from the schemas that validate requests, and a rendered reference under /docs. */
export async function registerOpenapi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      tags: nouns.map(([name, description]) => ({ name, description })),
      info: {
        title: 'cloud-control',
        version: '0.1.0',
        description: 'Control plane for cloud infrastructure. Every error is `{ error, code }`.',
      },
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'cc_session',
            description: '`__Host-cc_session` where CC_BASE_URL is https.',
          },
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'cc_pat_…' },
          scim: { type: 'http', scheme: 'bearer', bearerFormat: 'cc_scim_…' },
          agent: { type: 'http', scheme: 'bearer', bearerFormat: 'cc_agt_…' },
          basic: { type: 'http', scheme: 'basic' },
        },
      },
    },
    transform({ schema, url, route }) {
      const { access = 'public', sessionOnly, form } = route.config ?? {}
      const security =
        access === 'public'
          ? []
          : access === 'platform' || sessionOnly
            ? [{ session: [] }]
            : access === 'scim'
              ? [{ scim: [] }]
              : access === 'agent' || access === 'join'
                ? [{ agent: [] }]
                : [{ session: [] }, { bearer: [] }, ...(access === 'state' ? [{ basic: [] }] : [])]
      const described = {
        tags: [nounOf(url)],
        ...schema,
        ...(form && { body: form }),
        security,
        'x-access': access,
      }
      return { schema: described, url }
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? shareRefusals(sayNoNul(allowNoBody(document.openapiObject)))
        : document.swaggerObject,
  })
  await app.register(async (docs) => serveDocs(docs, app))
}

/** The rendered reference and the document, to everybody. */
async function serveDocs(docs: FastifyInstance, app: FastifyInstance): Promise<void> {
  // A megabyte for everybody: it is serialized once, not for each request.
  let document: Buffer | undefined
  const sendDocument = async (_request: FastifyRequest, reply: FastifyReply) => {
    document ??= Buffer.from(JSON.stringify(app.swagger()))
    return reply.type('application/json; charset=utf-8').send(document)
  }
  docs.addHook('onRoute', (route) => {
    if (route.url === '/docs/json') route.handler = sendDocument
    route.config = { ...route.config, access: 'public' }
    route.schema = { ...route.schema, hide: true }
  })
  docs.addHook('onRequest', (_request, reply, next) => {
    void reply.headers(docsHeaders)
    next()
  })
  // What names no file has none: a path with a NUL or half an escape, say.
  docs.setErrorHandler((error: FastifyError) => {
    throw refusalOf(error) ?? notFound()
  })
  await docs.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: docsHeaders['content-security-policy'],
    uiConfig: { deepLinking: true, docExpansion: 'none', filter: true },
    theme: {
      title: 'API reference · cloud-control',
      css: [{ filename: 'product.css', content: docsTheme }],
    },
  })
  docs.get('/api/openapi.json', sendDocument)
}

/** The document as it is committed in api/openapi.json, which a test holds against the server. */
export const openapiText = (app: FastifyInstance): string =>
  `${JSON.stringify(app.swagger(), null, 2)}\n`

type Body = { required?: boolean; content?: Record<string, { schema?: { required?: unknown[] } }> }
type Document = { paths?: Record<string, Record<string, { requestBody?: Body }>> }

/** Marks a body without required fields as optional in the OpenAPI document: an absent body counts as `{}`. */
function allowNoBody<D extends object>(openapi: D): D {
  // Three versions of OpenAPI share these parts; their types do not.
  for (const path of Object.values((openapi as Document).paths ?? {}))
    for (const { requestBody } of Object.values(path)) {
      const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
      if (requestBody && schemas.every((schema) => (schema?.required ?? []).length === 0))
        requestBody.required = false
    }
  return openapi
}
