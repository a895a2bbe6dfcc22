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
 * All else below the base: 501 for what the RFC has and this does not, 405 for another
 * method, 404. Told once the token is known, and before a body is read.
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
      // With a method that it has it came here by an id that is longer than any.
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
