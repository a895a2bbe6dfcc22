import { addAccount } from '../../app/clouds/add-account.ts'
import { openCredentials } from '../../app/clouds/open-account.ts'
import { startSync } from '../../app/clouds/start-sync.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import type { AwsCredentials } from '../../domain/clouds/cloud-account.ts'
import { awsPartition, memberRole } from '../../domain/clouds/organization-member.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import type { Deps } from '../deps.ts'
import { credentialColumns } from './account-columns.ts'
import { assertEndpointsTrusted } from './assert-endpoints-trusted.ts'
import { holdingAccount } from './hold-account.ts'

type Sent = {
  id: number
  roleName: string
  members: ReadonlyArray<{ accountId: string; name: string }>
  idempotencyKey: string | undefined
}
type Result = { accountId: string; ok: boolean; id: number; code: string | null }

/**
 * Connects members of an AWS organization, each as an account of its own with a role of this name.
 * AWS is not asked: whether a role can be assumed is what the validation of its account finds.
 */
export async function connectMembers(
  deps: Deps,
  caller: Caller,
  { id, roleName, members, idempotencyKey: key }: Sent,
): Promise<Result[]> {
  return holdingAccount(deps, caller, async (tenant) => {
    const found = await cloudAccounts(tenant).get(id)
    if (found.provider !== 'aws')
      throw conflict('not_in_organization', 'Only an AWS organization has members to connect.')
    const keys = idempotencyKeys(tenant)
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const hash = deps.keyring.mac('idempotency', canonicalJson({ id, roleName, members }))
      const first = await keys.take(who, key, hash)
      // Written below, in this shape.
      if (first) return first.response as Result[]
    }
    const columnsOf = memberColumns(deps, found, roleName)
    const results = new Map<string, Result>()
    // In one order, so that two requests for the same members cannot deadlock.
    for (const { accountId, name } of members.toSorted(byAccount))
      if (!results.has(accountId)) {
        const account = { ...columnsOf(accountId), accountId, name, memberOf: id }
        results.set(accountId, { accountId, ...(await addOrFind(tenant, caller, account)) })
      }
    // After all accounts are locked: each other transaction locks an account before this lock of the organization.
    for (const { ok, id: cloudAccountId } of results.values())
      if (ok) await startSync(tenant, { cloudAccountId, trigger: 'connect' })
    const answer = members.flatMap(({ accountId }) => results.get(accountId) ?? [])
    if (key !== undefined) await keys.answer(who, key, { status: 200, response: answer })
    return answer
  })
}

type Account = Parameters<typeof addAccount>[2]

const byAccount = (one: { accountId: string }, other: { accountId: string }): number =>
  one.accountId < other.accountId ? -1 : 1

async function addOrFind(
  tenant: Tenant,
  caller: Caller,
  account: Account,
): Promise<Omit<Result, 'accountId'>> {
  try {
    return { ok: true, id: (await addAccount(tenant, caller, account)).id, code: null }
  } catch (error) {
    if (!(error instanceof AppError) || error.existingId === undefined) throw error
    return { ok: false, id: error.existingId, code: error.code }
  }
}

/** Reached as the account that found it is: a member in another partition or network there is none. */
function memberColumns({ keyring, outbound }: Deps, found: CloudAccount, roleName: string) {
  const { organizationId, regions, endpoint, endpoints } = found
  const partition = awsPartition(openCredentials(keyring, found) as AwsCredentials, regions)
  const context = { keyring, organizationId, provider: 'aws' } as const
  const settings = {
    provider: 'aws' as const,
    regions,
    endpoint,
    endpoints,
    // One account of the organization has the bills of all.
    billing: null,
    billingShown: null,
    // A person says of each account whether runs are lent its credentials.
    runs: null,
    syncIntervalMinutes: found.syncIntervalMinutes,
    ingestIntervalHours: found.ingestIntervalHours,
  }
  const sent = { credentials: true, billing: false }
  assertEndpointsTrusted({ ...settings, credentialsKind: 'federation' }, { sent }, outbound.rules)
  return (accountId: string) => {
    const role = memberRole(partition, accountId, roleName)
    return { ...settings, ...credentialColumns(context, role) }
  }
}
