import type { CloudCredentials } from '../../domain/clouds/cloud-account.ts'
import type { AwsIdentity, Cloud } from '../../gateways/clouds/cloud.ts'
import { openCloud } from '../../gateways/clouds/open-cloud.ts'
import type { Outbound } from '../../gateways/outbound/outbound.ts'
import {
  placeOfBilling,
  placeOfCredentials,
  type CloudAccount,
} from '../../store/clouds/cloud-account-row.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import { signWebIdentity, type IssuerDeps } from './sign-web-identity.ts'

export type AccountDeps = IssuerDeps & { outbound: Outbound; awsIdentity: AwsIdentity }

/** The cloud of a connected account, with the account's own credentials. The caller closes it. */
export async function openAccount(deps: AccountDeps, account: CloudAccount): Promise<Cloud> {
  const { organizationId, provider, accountId, regions, runs } = account
  if (!account.credentials) throw new Error('a disconnected account has no credentials')
  const { externalId } = await deps.store.tenant(organizationId, cloudIdentity)
  const open = (place: Parameters<typeof deps.keyring.open>[0], sealed: Buffer): unknown =>
    JSON.parse(deps.keyring.open(place, sealed).toString())
  // Both were checked when they were sealed (api/clouds/account-columns.ts).
  const credentials = open(
    placeOfCredentials(organizationId),
    account.credentials,
  ) as CloudCredentials
  const billing = account.billing
    ? (open(placeOfBilling(organizationId), account.billing) as Record<string, string>)
    : null
  return openCloud(
    {
      provider,
      accountId,
      credentials,
      externalId,
      regions,
      endpoints: endpointsOf(account, billing),
      billing,
      runs,
    },
    {
      outbound: deps.outbound,
      awsIdentity: deps.awsIdentity,
      webIdentity: async (audience) =>
        signWebIdentity(deps, organizationId, { accountId, audience }),
    },
  )
}

/** `endpoint` is for all calls, `endpoints` for those it names, `billing.endpoint` for bills. */
function endpointsOf(
  { endpoint, endpoints }: CloudAccount,
  billing: Record<string, string> | null,
): CloudAccount['endpoints'] {
  const all = endpoint && {
    identity: endpoint,
    resources: endpoint,
    storage: endpoint,
    warehouse: endpoint,
  }
  const ofBills = billing?.['endpoint']
  return {
    ...all,
    ...endpoints,
    ...(ofBills !== undefined && { storage: ofBills, warehouse: ofBills }),
  }
}
