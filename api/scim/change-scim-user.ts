import type { Tenant } from '../../store/driver/tenant.ts'
import { refusal } from '../../domain/scim/refusals.ts'
import {
  columnsAfter,
  columnsOfNew,
  documentOf,
  type UserColumns,
} from '../../domain/scim/user-columns.ts'
import { applyPatch } from '../../domain/scim/apply-patch.ts'
import { patchOperations } from '../../domain/scim/patch-operations.ts'
import { readDocument } from '../../domain/scim/read-document.ts'
import { userSchema } from '../../domain/scim/schemas.ts'
import { mails } from '../../store/mails/mails.ts'
import { voidUnableApprovals } from '../../app/runs/void-unable-approvals.ts'
import { scimLog } from '../../store/scim/scim-log.ts'
import { scimUsers, type ScimUser } from '../../store/scim/scim-users.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { endAccess } from '../../app/users/end-access.ts'
import { assertAnotherOwner, holdPeople } from '../../store/users/hold-people.ts'
import { personMakers } from '../../store/users/person-makers.ts'
import type { Deps } from '../deps.ts'
import { actorOfToken, type Provisioning } from './scim-request.ts'
import { differenceOf, targetOf } from './user-difference.ts'
import { assertVersion } from './version-tag.ts'

type Change = { publicId: string; body: Record<string, unknown>; wantsGroups: boolean }

/** RFC 7644 3.5.2: all of the operations or none. */
export async function patchScimUser(
  deps: Deps,
  by: Provisioning,
  change: Change,
): Promise<ScimUser> {
  return changeScimUser(deps, by, {
    ...change,
    after(before) {
      const operations = patchOperations(change.body)
      const was = documentOf(before, before.publicId)
      const now = applyPatch(userSchema, was, { operations, id: before.publicId })
      return columnsAfter(before, was, now)
    },
  })
}

/** RFC 7644 3.5.1: what the body omits is cleared; without `active` the person is active. */
export async function putScimUser(deps: Deps, by: Provisioning, change: Change): Promise<ScimUser> {
  const after = () => columnsOfNew(readDocument(userSchema, change.body))
  return changeScimUser(deps, by, { ...change, after })
}

async function changeScimUser(
  deps: Deps,
  by: Provisioning,
  {
    publicId,
    wantsGroups,
    after,
  }: { publicId: string; wantsGroups: boolean; after: (before: ScimUser) => UserColumns },
): Promise<ScimUser> {
  const { organizationId } = by
  return deps.store.tenant(organizationId, async (tenant) => {
    const people = scimUsers(tenant)
    // Sent together and executed in order.
    const [, before] = await Promise.all([holdPeople(tenant), people.getForUpdate(publicId)])
    assertVersion(by.ifMatch, before.version)
    const next = after(before)
    const changes = differenceOf(before, next)
    if (Object.keys(changes).length === 0) return people.get(publicId, wantsGroups)
    await assertAllowed(tenant, by, { before, next })
    // Awaited alone: this statement can be refused, and its error must be the one that is reported.
    await people.update(before.id, next)
    const tokensEnded = await settle(tenant, by, { before, next })
    if (tokensEnded > 0) changes['apiTokens'] = { from: tokensEnded, to: 0 }
    const [, changed] = await Promise.all([
      scimLog(tenant).recordChange(by, {
        event: eventOf(before, next),
        target: targetOf({ ...before, ...next }),
        changes,
      }),
      people.get(publicId, wantsGroups),
    ])
    return changed
  })
}

/**
 * SCIM has an Org Admin's power. An attacker with a SCIM token who could change an Owner's address
 * would have the password reset mailed to it, and take over the organization.
 */
async function assertAllowed(
  tenant: Tenant,
  { tokenId }: Provisioning,
  { before, next }: { before: ScimUser; next: UserColumns },
): Promise<void> {
  if (before.role === 'Owner' || before.platformAdmin) {
    if (isReaddressed(before, next))
      throw refusal(
        'mutability',
        'The address of an Owner or platform administrator is not changed by SCIM.',
      )
    // Whoever has the user name that an assertion says is signed in by it.
    if (isRenamed(before, next))
      throw refusal(
        'mutability',
        'The userName of an Owner or platform administrator is not changed by SCIM, but to their address.',
      )
  }
  if (before.role === 'Owner' && before.active && !next.active)
    await assertAnotherOwner(tenant, before.id)
  // A person who was deactivated may have kept the token that they made.
  if (!before.active && next.active && (await tokens(tenant).isMadeBy(before.id, tokenId)))
    throw refusal(
      'mutability',
      'The person who made this SCIM token is not reactivated by it. An administrator reactivates them, or the identity provider uses a token that somebody else made.',
    )
}

/** The consequences: credentials of a deactivated person end. Returns how many API tokens ended. */
async function settle(
  tenant: Tenant,
  by: Provisioning,
  { before, next }: { before: ScimUser; next: UserColumns },
): Promise<number> {
  const access = endAccess(tenant)
  const makers = personMakers(tenant)
  // Either of the two lets the identity provider's next assertion open the account.
  if (isReaddressed(before, next) || before.userName !== next.userName)
    await makers.noteByScimToken(before.id, by.tokenId, 'readdressed')
  if (!before.active && next.active)
    await makers.noteByScimToken(before.id, by.tokenId, 'reactivated')
  const ends = before.active && !next.active
  // A link in a mailbox that is no longer this person's must not open the account.
  if (ends || isReaddressed(before, next)) await access.mailedLinks(before.id)
  // The owner of the old address must notice an attacker who takes over the account by changing it.
  if (isReaddressed(before, next) && before.email !== null)
    await mails(tenant).queue('address_changed', before.id, {
      changedBy: by.tokenName,
      from: before.email,
      to: next.email,
    })
  if (!ends) return 0
  await access.invitationsBy(before.id)
  await access.sessions(before.id)
  const tokensEnded = await access.apiTokens(before.id)
  await voidUnableApprovals(tenant, actorOfToken(by))
  return tokensEnded
}

function eventOf(before: UserColumns, next: UserColumns): string {
  if (before.active === next.active) return 'scim.user_updated'
  return next.active ? 'scim.user_reactivated' : 'scim.user_deactivated'
}

const isRenamed = (before: UserColumns, { userName }: UserColumns): boolean =>
  before.userName?.toLowerCase() !== userName?.toLowerCase() &&
  (userName ?? '').toLowerCase() !== before.email?.toLowerCase()

/** Another spelling of the same address is no change. */
const isReaddressed = (
  before: { email: string | null },
  after: { email: string | null },
): boolean => before.email?.toLowerCase() !== after.email?.toLowerCase()
