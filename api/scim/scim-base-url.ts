import type { FastifyRequest } from 'fastify'
import { scimBasePath } from '../../domain/scim/scim-address.ts'
import type { Deps } from '../deps.ts'

/** `{base_url}/api/scim/v2`: what an identity provider is given, and what every location begins with. */
export const scimBaseUrl = ({ config }: Deps, request: FastifyRequest): string =>
  `${config.baseUrl ?? `${request.protocol}://${request.host}`}${scimBasePath}`
