import type { FastifyRequest } from 'fastify'
import { scimBasePath } from '../../domain/scim/scim-address.ts'
import type { Deps } from '../deps.ts'

/** `{base_url}/api/scim/v2`: given to identity providers, and the prefix of every location. */
export const scimBaseUrl = ({ config }: Deps, request: FastifyRequest): string =>
  `${config.baseUrl ?? `${request.protocol}://${request.host}`}${scimBasePath}`
