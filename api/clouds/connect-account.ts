import { addAccount } from '../../app/clouds/add-account.ts'
import { startSync } from '../../app/clouds/start-sync.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { assertLendable } from '../../domain/clouds/check-runs.ts'
import { checkAccountId } from '../../domain/clouds/check-account-id.ts'
import { billingPlaces } from '../../store/clouds/billing-places.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import type { Deps } from '../deps.ts'
import { credentialColumns, settingColumns } from './account-columns.ts'
import { assertEndpointsTrusted } from './assert-endpoints-trusted.ts'
import { assertOwnExternalId } from './assert-own-external-id.ts'
import { checkEndpoints } from './check-endpoints.ts'
import { holdingAccount } from './hold-account.ts'
import { presentAccount } from './present-account.ts'
import { refuseSameExport } from './refuse-same-export.ts'
import type { CloudAccountBody, NewCloudAccountBody } from './schemas.ts'

/**
 * Connects an account. Its credentials are checked by the validation that follows by itself: a cloud
 * that is slow or away must not keep an account from being connected.
 */
export async function connectAccount(
  deps: Deps,
  caller: Caller,
  {
    input,
    idempotencyKey: key,
  }: { input: NewCloudAccountBody; idempotencyKey: string | undefined },
): Promise<CloudAccountBody> {
  const { organizationId } = caller
  const { provider, credentials, externalId: repeated, ...settings } = input
  const accountId = checkAccountId(provider, input.accountId)
  const context = { keyring: deps.keyring, organizationId, provider }
  const columns = {
    ...noSettings,
    ...settingColumns(context, settings),
    ...credentialColumns(context, credentials),
  }
  assertLendable({ provider, ...columns })
  await checkEndpoints({ outbound: deps.outbound, organizationId }, input)
  const sent = { credentials: true, billing: true }
  assertEndpointsTrusted({ provider, ...columns }, { sent }, deps.outbound.rules)
  return holdingAccount(deps, caller, async (tenant) => {
    const { externalId } = await cloudIdentity(tenant)
    assertOwnExternalId(externalId, repeated)
    const keys = idempotencyKeys(tenant)
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      // A keyed hash: the body has secrets.
      const hash = deps.keyring.mac('idempotency', canonicalJson(input))
      const first = await keys.take(who, key, hash)
      // Written below, in this shape.
      if (first) return first.response as CloudAccountBody
    }
    const account = { ...columns, name: input.name, provider, accountId }
    if (columns.billing) await billingPlaces(tenant).hold()
    const added = await addAccount(tenant, caller, account)
    await refuseSameExport(tenant, added)
    const { id, version } = added
    await startSync(tenant, { cloudAccountId: id, trigger: 'connect' })
    // Of one that was connected before, more bills are expected again, which decides states of budgets.
    if (version > 1) await raiseCostVersion(tenant)
    // Read again: the sync has moved when the next one comes.
    const body = await presentAccount(tenant, deps, await cloudAccounts(tenant).get(id))
    if (key !== undefined) await keys.answer(who, key, { status: 201, response: body })
    return body
  })
}

/** What an account has that was connected without it; one that is connected again begins with it too. */
const noSettings = {
  billing: null,
  billingShown: null,
  regions: null,
  endpoint: null,
  endpoints: {},
  runs: null,
}
