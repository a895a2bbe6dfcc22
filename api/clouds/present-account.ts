import type { CloudsConfig } from '../../config/clouds.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import { newestSyncs, type CloudSync } from '../../store/clouds/cloud-syncs.ts'
import { readIngests, type AccountIngest } from '../../store/finops/read-ingests.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'
import { presentSummary } from '../finops/ingests/present-ingest.ts'
import { presentSync } from './present-sync.ts'
import type { CloudAccountBody } from './schemas.ts'

/** Accounts of one organization, as readers see them. Three statements for any number of accounts. */
export async function presentAccounts(
  tenant: Tenant,
  { config: { awsIdentity } }: Pick<Deps, 'config'>,
  accounts: readonly CloudAccount[],
): Promise<CloudAccountBody[]> {
  const { externalId } = await cloudIdentity(tenant)
  // Those of an account that was disconnected and connected again are being deleted.
  const known = accounts.filter(({ forgetting }) => !forgetting)
  const syncs = await newestSyncs(
    tenant,
    known.map(({ id }) => id),
  )
  const ingests = await readIngests(tenant).newestOfAccounts(accounts.map(({ id }) => id))
  const ingestOf = new Map(ingests.map((ingest) => [ingest.cloudAccountId, ingest]))
  const syncOf = new Map(syncs.map((sync) => [sync.cloudAccountId, sync]))
  return accounts.map((account) =>
    present(account, {
      externalId,
      awsIdentity,
      sync: syncOf.get(account.id),
      ingest: ingestOf.get(account.id),
    }),
  )
}

export async function presentAccount(
  tenant: Tenant,
  deps: Pick<Deps, 'config'>,
  account: CloudAccount,
): Promise<CloudAccountBody> {
  const [body] = await presentAccounts(tenant, deps, [account])
  if (!body) throw new Error('one account is presented as none')
  return body
}

type Beside = {
  externalId: string
  sync: CloudSync | undefined
  ingest: AccountIngest | undefined
} & Pick<CloudsConfig, 'awsIdentity'>

/** Which kind of credentials an account has, never the credentials. */
function present(
  account: CloudAccount,
  { externalId, awsIdentity, sync, ingest }: Beside,
): CloudAccountBody {
  const { id, provider, accountId, name, regions, endpoint, endpoints, checks, status } = account
  // How a role is assumed is the operator's choice, which may change after the account was connected.
  const byRole =
    provider === 'aws' && account.credentialsKind === 'federation' && awsIdentity !== 'none'
  return {
    id,
    provider,
    accountId,
    name,
    externalId,
    credentialsSet: account.credentials !== null,
    credentialsKind: byRole ? 'role' : account.credentialsKind,
    billing: account.billingShown,
    regions,
    endpoint,
    endpoints,
    runs: account.runs,
    syncIntervalMinutes: account.syncIntervalMinutes,
    ingestIntervalHours: account.ingestIntervalHours,
    status,
    statusReason: account.statusReason,
    checks,
    validatedAt: account.validatedAt?.toISOString() ?? null,
    sync: sync ? presentSync(sync) : null,
    nextSyncAt: account.nextSyncAt.toISOString(),
    resources: account.resources,
    ingest: ingest ? presentSummary(ingest) : null,
    nextIngestAt: account.billing ? account.nextIngestAt.toISOString() : null,
    completeThrough: ingest?.completeThrough ?? null,
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
  }
}
