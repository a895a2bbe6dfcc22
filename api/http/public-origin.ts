import type { Deps } from '../deps.ts'

/**
 * Where browsers reach this service. Never what a request calls it: the name is part of the
 * audience that assertions must be for, and whoever chose it could bring one that was made
 * for another service provider.
 */
export const publicOrigin = ({
  server: { deps },
}: {
  server: { deps: Pick<Deps, 'config'> }
}): string => deps.config.baseUrl ?? new URL(deps.config.apiUrl).origin
