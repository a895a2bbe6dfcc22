import { openAccount } from '../../app/clouds/open-account.ts'
import { issuerAddress } from '../../domain/clouds/issuer-address.ts'
import { memberTemplate } from '../../domain/clouds/member-template.ts'
import { memberState } from '../../domain/clouds/organization-member.ts'
import { AppError, conflict, invalid, unavailable } from '../../domain/errors.ts'
import type { MemberPage, MembersAsked } from '../../gateways/clouds/cloud.ts'
import { CloudFault } from '../../gateways/clouds/cloud-fault.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts, connectedIds } from '../../store/clouds/cloud-accounts.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import type { Deps } from '../deps.ts'
import { accountDeps } from './account-deps.ts'
import { issuerOrigin } from './issuer-origin.ts'

const limitMs = 10_000

/** A page of the accounts of an AWS organization, and which of them are connected. */
export async function listMembers(
  deps: Deps,
  organizationId: number,
  { id, limit = 50, cursor = null }: { id: number; limit?: number; cursor?: string | null },
) {
  const account = await deps.store.tenant(organizationId, async (tenant) =>
    cloudAccounts(tenant).get(id),
  )
  const signal = AbortSignal.timeout(limitMs)
  const { members, next } = await ask(deps, account, { cursor, limit, signal })
  const { connected, identity } = await deps.store.tenant(organizationId, async (tenant) => ({
    connected: await connectedIds(
      tenant,
      account.provider,
      members.map(({ accountId }) => accountId),
    ),
    identity: await cloudIdentity(tenant),
  }))
  return {
    members: members.map(({ accountId, name, status }) => ({
      accountId,
      name,
      state: memberState(status),
      existingId: connected.get(accountId) ?? null,
    })),
    nextCursor: next,
    template: memberTemplate({
      ...identity,
      issuer: issuerAddress(issuerOrigin(deps), identity.publicId),
      use: deps.config.awsIdentity === 'none' ? 'federation' : 'role',
    }),
  }
}

async function ask(deps: Deps, account: CloudAccount, asked: MembersAsked): Promise<MemberPage> {
  const cloud = await openAccount(accountDeps(deps), account)
  try {
    const page = await cloud.members?.(asked)
    if (page) return page
  } catch (error) {
    throw refusalOf(error)
  } finally {
    cloud.close()
  }
  throw conflict(
    'not_in_organization',
    account.provider === 'aws'
      ? 'This account belongs to no organization of AWS.'
      : 'Only AWS lists the members of an organization. In the other clouds a management group, a folder or an organization is connected as one account.',
  )
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof CloudFault)) return error
  const { kind, message, missing } = error
  if (kind === 'denied' || kind === 'excluded')
    return new AppError('invalid', message, { code: 'cloud_permissions_missing', missing })
  if (kind === 'credentials') return invalid(message, undefined, 'cloud_credentials_rejected')
  if (kind === 'page_token') return invalid(message, [{ path: 'cursor', message }])
  return unavailable('cloud_unreachable', message)
}
