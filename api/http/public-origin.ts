import type { FastifyRequest } from 'fastify'

/** Where browsers reach this service: as configured, or else as this one did. */
export const publicOrigin = (request: FastifyRequest): string =>
  request.server.deps.config.baseUrl ?? `${request.protocol}://${request.host}`
