import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { bareSignInPage } from './bare-sign-in-page.ts'
import { readConsolePage } from './console-page.ts'
import { isPage } from './is-page.ts'
import { pageHeaders } from './page-headers.ts'

/** Where `npm run build` puts the console. */
export const consoleFolder = join(import.meta.dirname, '../../console/dist')

/** Files with a hash in their name never change; all others are revalidated each time. */
const cacheFor = (path: string) =>
  path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'

/**
 * Serves the console's files, and its page at every address that is no route of the API. Must be
 * registered before the hooks that need a sign-in: the files are public.
 */
export async function registerConsole(app: FastifyInstance, folder = consoleFolder): Promise<void> {
  const page = readConsolePage(join(folder, 'index.html'))
  const fileHeaders = pageHeaders()
  const headers = pageHeaders(page)
  if (page)
    await app.register(async (files) => {
      await files.register(fastifyStatic, {
        root: folder,
        wildcard: false,
        index: false,
        globIgnore: ['index.html*'],
        cacheControl: false,
        preCompressed: true,
        setHeaders(reply, path) {
          void reply.header('cache-control', cacheFor(path))
          for (const [name, value] of Object.entries(fileHeaders)) void reply.header(name, value)
        },
      })
    })

  app.setNotFoundHandler((request, reply) => {
    if (page && isPage(request)) return page.send(request, reply.headers(headers))
    const bare = isPage(request) ? bareSignInPage(request.url) : undefined
    if (bare) return reply.headers(bare.headers).send(bare.html)
    return reply.status(404).send({ error: 'Not found', code: 'not_found' })
  })
}
