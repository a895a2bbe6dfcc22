import type { FastifyInstance } from 'fastify'
import { AppError, notFound } from '../../domain/errors.ts'
import { scimBasePath } from '../../domain/scim/scim-address.ts'

const item = 'GET, PUT, PATCH, DELETE'
const served: Array<[RegExp, string]> = [
  [/^\/(ServiceProviderConfig|ResourceTypes|Schemas)$/, 'GET'],
  [/^\/(ResourceTypes|Schemas)\/[^/]+$/, 'GET'],
  [/^\/(Users|Groups)$/, 'GET, POST'],
  [/^\/(Users|Groups)\/[^/]+$/, item],
]
const unsupported = /^\/(Bulk|Me|\.search|(Users|Groups)\/\.search)(\/|$)/

/**
 * Answers everything else below the base: 501 for parts of the RFC that are not supported, 405 for
 * other methods, 404 otherwise. After the token is checked and before a body is read.
 */
export function refuseUnserved(scim: FastifyInstance): void {
  scim.route({
    method: scim.supportedMethods,
    url: '/*',
    config: { access: 'scim' },
    schema: { hide: true },
    onRequest: async (request) => {
      const [path = ''] = request.url.slice(scimBasePath.length).split('?', 1)
      if (unsupported.test(path))
        throw new AppError(
          'not_implemented',
          `${path} is not supported: see /ServiceProviderConfig.`,
        )
      const [, allow] = served.find(([pattern]) => pattern.test(path)) ?? []
      // A known method reaches this only with an id longer than any.
      if (allow === undefined || allow.split(', ').includes(request.method)) throw notFound()
      throw new AppError('method_not_allowed', `${request.method} is not one of: ${allow}.`, {
        allow,
      })
    },
    handler: () => {
      throw notFound()
    },
  })
}
