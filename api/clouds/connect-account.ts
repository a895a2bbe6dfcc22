import { startSync } from '../../app/clouds/start-sync.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { assertLendable } from '../../domain/clouds/check-runs.ts'
import { checkAccountId } from '../../domain/clouds/check-account-id.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { accountConnections } from '../../store/clouds/account-connections.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import type { Deps } from '../deps.ts'
import { credentialColumns, settingColumns } from './account-columns.ts'
import { assertEndpointsTrusted } from './assert-endpoints-trusted.ts'
import { assertOwnExternalId } from './assert-own-external-id.ts'
import { checkEndpoints } from './check-endpoints.ts'
import { presentAccount } from './present-account.ts'
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
  await checkEndpoints(deps.outbound, input)
  const sent = { credentials: true, billing: true }
  assertEndpointsTrusted({ provider, ...columns }, { sent }, deps.outbound.rules)
  return deps.store.tenant(organizationId, async (tenant) => {
    const { externalId } = await cloudIdentity(tenant)
    assertOwnExternalId(externalId, repeated)
    const keys = idempotencyKeys(tenant)
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      // A keyed hash: the body has secrets.
      const hash = deps.keyring.mac('idempotency', JSON.stringify(input))
      const first = await keys.take(who, key, hash)
      // Written below, in this shape.
      if (first) return first.response as CloudAccountBody
    }
    const account = await accountConnections(tenant).connect({
      ...columns,
      name: input.name,
      provider,
      accountId,
      createdBy: caller.userId,
    })
    await auditLog(tenant, actorOf(caller)).record('cloud.account_connected', {
      target: { kind: 'cloud_account', id: account.id, label: account.name },
      detail: detailOf(account),
    })
    await startSync(tenant, { cloudAccountId: account.id, trigger: 'connect' })
    // Read again: the sync has moved when the next one comes.
    const body = await presentAccount(tenant, deps, await cloudAccounts(tenant).get(account.id))
    if (key !== undefined) await keys.answer(who, key, { status: 201, response: body })
    return body
  })
}

/** Where its tokens go is part of it; secrets are not. */
function detailOf({ provider, accountId, credentialsKind, ...account }: CloudAccount) {
  const { endpoint, endpoints, billingShown, regions, runs } = account
  const set = { endpoint, billing: billingShown, regions, runs }
  return {
    provider,
    accountId,
    credentialsKind,
    ...Object.fromEntries(Object.entries(set).filter(([, value]) => value !== null)),
    ...(Object.keys(endpoints).length > 0 && { endpoints }),
  }
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
