import { checkBilling } from '../../domain/clouds/check-billing.ts'
import { checkRegions } from '../../domain/clouds/check-regions.ts'
import { checkRuns } from '../../domain/clouds/check-runs.ts'
import { checkCredentials } from '../../domain/clouds/check-credentials.ts'
import type { CloudProvider } from '../../domain/clouds/cloud-account.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import {
  placeOfBilling,
  placeOfCredentials,
  type CloudAccountChange,
} from '../../store/clouds/cloud-account-row.ts'
import type { CloudAccountChangeBody, NewCloudAccountBody } from './schemas.ts'

type Context = { keyring: Keyring; organizationId: number; provider: CloudProvider }

/** The credentials that were sent, checked and sealed. */
export function credentialColumns(
  { keyring, organizationId, provider }: Context,
  sent: NewCloudAccountBody['credentials'],
) {
  const { credentials, kind } = checkCredentials(provider, sent)
  return {
    credentials: keyring.seal(placeOfCredentials(organizationId), JSON.stringify(credentials)),
    credentialsKind: kind,
  }
}

/** The columns of the settings that were sent; those that were not sent are left out. */
export function settingColumns(
  { keyring, organizationId, provider }: Context,
  sent: Omit<CloudAccountChangeBody, 'credentials' | 'externalId'>,
): CloudAccountChange {
  const { name, billing, regions, endpoint, endpoints, runs } = sent
  const { syncIntervalMinutes, ingestIntervalHours } = sent
  const checked = billing ? checkBilling(provider, billing) : null
  if (regions) checkRegions(provider, regions)
  return {
    ...(name !== undefined && { name }),
    ...(billing !== undefined && {
      billing: checked
        ? keyring.seal(placeOfBilling(organizationId), JSON.stringify(checked.billing))
        : null,
      billingShown: checked?.shown ?? null,
    }),
    ...(regions !== undefined && { regions: regions && regions.toSorted() }),
    ...(endpoint !== undefined && { endpoint }),
    ...(endpoints !== undefined && { endpoints }),
    ...(runs !== undefined && { runs: runs && checkRuns(provider, runs) }),
    ...(syncIntervalMinutes !== undefined && { syncIntervalMinutes }),
    ...(ingestIntervalHours !== undefined && { ingestIntervalHours }),
  }
}
