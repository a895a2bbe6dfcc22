import type { Deps } from '../deps.ts'

/**
 * The public address of this service. Never taken from the request's `Host`: it is part of the
 * audience of assertions, and an attacker who chooses it could replay an assertion that was made for
 * another service provider.
 */
export const publicOrigin = ({
  server: { deps },
}: {
  server: { deps: Pick<Deps, 'config'> }
}): string => deps.config.baseUrl ?? new URL(deps.config.apiUrl).origin
