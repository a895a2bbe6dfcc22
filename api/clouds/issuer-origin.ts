import { publicOrigin } from '../http/public-origin.ts'
import type { Deps } from '../deps.ts'

export const issuerOrigin = (deps: Pick<Deps, 'config'>): string =>
  deps.config.oidcIssuer ?? publicOrigin({ server: { deps } })
