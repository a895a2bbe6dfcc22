import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { notFound } from '../../domain/errors.ts'

export const buildNetworks = ['public', 'none'] as const

/** Which production plans need a second person first: none, or those of files that only their authors have seen. */
export const planApprovals = ['none', 'unseen'] as const

export type OrganizationSettings = {
  /** ISO 4217. */
  currency: string
  approvalExpiryHours: number
  /** The tag that cost is grouped by first. */
  tagKey: string | null
  /** Other keys in bills that are read as one: `{ team: ['Team', 'resourceTags/team'] }`. */
  tagAliases: Record<string, string[]>
  /** The least excess over the expected cost that counts as an anomaly, in the organization's currency. */
  anomalyMinimum: number
  /** Whether prices are learned from the bills, and judge plans. */
  learnPrices: boolean
  /** Whether a build may reach public addresses through the egress proxy, or none. */
  buildNetwork: (typeof buildNetworks)[number]
  planApproval: (typeof planApprovals)[number]
  /** How long artifacts of applications are kept at least. */
  artifactDays: number
  /** Passwords sign in Owners alone. */
  requireSso: boolean
}

/** Of an organization that has set none. */
export const defaultCurrency = 'USD'

const defaults: OrganizationSettings = {
  currency: defaultCurrency,
  approvalExpiryHours: 168,
  tagKey: null,
  tagAliases: {},
  anomalyMinimum: 5,
  learnPrices: true,
  buildNetwork: 'public',
  planApproval: 'none',
  artifactDays: 30,
  requireSso: false,
}

/** The stored settings, defaults filled in. */
export const withDefaults = (
  stored: Partial<OrganizationSettings> | undefined,
): OrganizationSettings => ({ ...defaults, ...stored })

/** An organization's settings, defaults filled in. */
export async function organizationSettings(tenant: Tenant): Promise<OrganizationSettings> {
  const { db, organizationId } = unwrap(tenant)

  const query = db.raw('select settings from organizations where id = ?', [organizationId])
  type Row = { settings: Partial<OrganizationSettings> }
  const [row] = await askNamed<Row>(db, 'organization-settings', query)
  return withDefaults(row?.settings)
}

/** Changes what is named and keeps the rest; the name is a column of its own. */
export async function changeSettings(
  tenant: Tenant,
  { name, ...settings }: Partial<OrganizationSettings & { name: string }>,
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)

  await db('organizations')
    .where({ id: organizationId })
    .update({
      settings: db.raw('settings || ?::jsonb', [JSON.stringify(settings)]),
      ...(name !== undefined && { name }),
    })
}

export async function organizationName(tenant: Tenant): Promise<string> {
  const { db, organizationId } = unwrap(tenant)

  const row = await db('organizations').where({ id: organizationId }).first('name')
  if (!row) throw notFound()
  return row.name
}
