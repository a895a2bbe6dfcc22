import { isDeepStrictEqual } from 'node:util'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { currencies } from '../../domain/organizations/currencies.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  changeSettings,
  organizationName,
  organizationSettings,
  type OrganizationSettings,
} from '../../store/organizations/settings.ts'
import { guardedByPrices } from '../../app/finops/guarded-by-prices.ts'
import { readTagsAgain } from '../../app/finops/read-tags-again.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import { canTagBudgetsHold } from '../../store/finops/budgets/budgets.ts'
import { samlConfigurations } from '../../store/saml/saml-configurations.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import type { Deps } from '../deps.ts'

export type OrganizationChange = Partial<OrganizationSettings & { name: string }>

/** Changes settings of the organization, and audits their old and new values. */
export async function changeOrganization(
  deps: Deps,
  caller: Caller,
  change: OrganizationChange,
): Promise<void> {
  if (change.currency !== undefined && !currencies.has(change.currency))
    throw invalid('currency: is not a currency of ISO 4217', [
      { path: 'currency', message: 'is not a currency of ISO 4217' },
    ])
  assertOneKeyEach(change.tagAliases)
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const before = {
      name: await organizationName(tenant),
      ...(await organizationSettings(tenant)),
    }
    const detail = differences(before, change)
    if (Object.keys(detail).length === 0) return
    if (detail['requireSso']?.to === true) await assertSsoWorks(tenant)
    await changeSettings(tenant, change)
    // The same number is another cost limit in another currency, so a new currency changes a guard.
    if (detail['currency'])
      await noteGuardChange(tenant, caller, {
        what: 'currency',
        guarded: await guardedByPrices(tenant),
      })
    // Plans are judged by other prices from now on.
    if (detail['learnPrices'])
      await noteGuardChange(tenant, caller, {
        what: 'learnPrices',
        guarded: await guardedByPrices(tenant),
      })
    await noteTagScopes(tenant, caller, detail)
    if (detail['tagAliases'] && change.tagAliases)
      await readTagsAgain(tenant, { before: before.tagAliases, after: change.tagAliases })
    // Who removes the second person becomes an author of what is planned next, so they cannot approve it.
    if (detail['planApproval'])
      await noteGuardChange(tenant, caller, { what: 'planApproval', guarded: ['production'] })
    await auditLog(tenant, actorOf(caller)).record(
      detail['requireSso'] ? 'org.sso_updated' : 'org.settings_updated',
      {
        target: { kind: 'organization', id: organizationId, label: caller.organizationSlug },
        detail,
      },
    )
  })
}

/** What a tag's scope adds up follows these settings, so they can take a budget's cost away that holds runs. */
async function noteTagScopes(
  tenant: Tenant,
  caller: Caller,
  detail: Record<string, unknown>,
): Promise<void> {
  for (const [what, of] of [
    ['tagKey', 'untagged'],
    ['tagAliases', 'all'],
  ] as const)
    if (detail[what] && (await canTagBudgetsHold(tenant, of)))
      await noteGuardChange(tenant, caller, { what, guarded: ['standard'] })
}

/** A tag's key in a bill must not be read as two others. */
function assertOneKeyEach(aliases: OrganizationSettings['tagAliases'] = {}): void {
  const taken = new Set<string>()
  for (const [key, others] of Object.entries(aliases))
    for (const alias of others) {
      const why = taken.has(alias)
        ? 'is there twice'
        : Object.hasOwn(aliases, alias) && 'is a key too'
      if (why)
        throw invalid(`tagAliases.${key}: ${alias} ${why}.`, [
          { path: `tagAliases.${key}`, message: `${alias} ${why}` },
        ])
      taken.add(alias)
    }
}

/** The people must be locked. Without an identity provider everybody but the Owners would be locked out. */
async function assertSsoWorks(tenant: Tenant): Promise<void> {
  const configuration = await samlConfigurations(tenant).find()
  if (configuration?.enabled) return
  throw conflict(
    'sso_not_enabled',
    'Single sign-on cannot be required before an identity provider is saved and enabled.',
  )
}

function differences(
  before: OrganizationSettings & { name: string },
  change: OrganizationChange,
): Record<string, { from: unknown; to: unknown }> {
  return Object.fromEntries(
    Object.entries(change)
      // The keys of a change are keys of what it changes.
      .map(([key, to]) => [key, { from: before[key as keyof typeof before], to }] as const)
      .filter(([, { from, to }]) => !isDeepStrictEqual(from, to)),
  )
}
