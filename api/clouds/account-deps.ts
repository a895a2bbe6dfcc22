import type { AccountDeps } from '../../app/clouds/open-account.ts'
import type { Deps } from '../deps.ts'
import { issuerOrigin } from './issuer-origin.ts'

/** What opening an account takes, of what the routes have. */
export const accountDeps = (deps: Deps): AccountDeps => ({
  store: deps.store,
  keyring: deps.keyring,
  outbound: deps.outbound,
  issuerOrigin: issuerOrigin(deps),
  awsIdentity: deps.config.awsIdentity,
})
