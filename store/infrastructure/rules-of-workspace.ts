import type { CostScope } from '../../domain/finops/cost-scope.ts'
import { notFound } from '../../domain/errors.ts'
import type { Price } from '../../domain/finops/match-price.ts'
import type { Store } from '../driver/connect.ts'
import type { OrganizationSettings } from '../organizations/settings.ts'
import type { Policy } from '../policies/policies.ts'
import { selectList } from '../select-list.ts'
import type { Workspace } from '../workspaces/workspaces.ts'

const ofWorkspace = [
  'id',
  'name',
  'criticality',
  'costLimitMonthly',
  'unpriced',
  'cloudAccountId',
] as const

export type RulesOfWorkspace = {
  workspace: Pick<Workspace, (typeof ofWorkspace)[number]>
  /** All of the organization. */
  policies: Array<Pick<Policy, 'id' | 'name' | 'rego' | 'enforcement' | 'version' | 'workspaces'>>
  prices: Array<Price & { version: number }>
  /** All of the organization. */
  budgets: Array<CostScope & { id: number }>
  /** The cloud's own id of the workspace's account. */
  accountNumber: string | null
  /** Whether that account has a bill of its own. */
  accountHasBill: boolean
  /** As they are stored, without defaults. */
  settings: Partial<OrganizationSettings>
}

type Row = RulesOfWorkspace['workspace'] & Omit<RulesOfWorkspace, 'workspace'>

/** SQL: the scopes of the budgets of the organization of `of`. */
export const selectBudgets = (of: string): string => `
  (select coalesce(json_agg(json_build_object('id', b.id, 'scopeKind', b.scope_kind,
      'scopeValue', b.scope_value) order by b.id), '[]')
    from budgets b where b.organization_id = ${of}.organization_id)`

/** SQL: whether the price of `c` judges plans, by the settings of the organization of `o`. */
export const isPriceInForce = `c.enabled
  and (c.learned is null or coalesce((o.settings ->> 'learnPrices')::boolean, true))`

/** What judges a plan of this workspace that has these types of resources, in one statement. */
export async function rulesOfWorkspace(
  store: Pick<Store, 'read'>,
  organizationId: number,
  { workspaceId, resourceTypes }: { workspaceId: number; resourceTypes: readonly string[] },
): Promise<RulesOfWorkspace> {
  const [row] = await store.read<Row>(organizationId, {
    name: 'rules-of-workspace',
    // Prices are text, as everywhere: as JSON's numbers they would be floats.
    text: `select ${selectList('w', ofWorkspace)}, o.settings,
      (select a.account_id from cloud_accounts a where a.organization_id = w.organization_id
        and a.id = w.cloud_account_id) as "accountNumber",
      exists (select from billing_sources b where b.organization_id = w.organization_id
        and b.cloud_account_id = w.cloud_account_id and b.removed_at is null) as "accountHasBill",
      ${selectBudgets('w')} as budgets,
      (select coalesce(json_agg(json_build_object('id', y.id, 'name', y.name, 'rego', y.rego,
          'enforcement', y.enforcement, 'version', y.version, 'workspaces', y.workspaces)
          order by y.id), '[]')
        from policies y where y.organization_id = w.organization_id) as policies,
      (select coalesce(json_agg(json_build_object('id', c.id, 'provider', c.provider,
          'resourceType', c.resource_type, 'match', c.match, 'monthlyPrice', c.monthly_price::text,
          'currency', c.currency, 'source', c.source, 'region', c.learned ->> 'region',
          'validFrom', c.valid_from::text, 'version', c.version)
          order by c.id), '[]')
        from prices c where c.organization_id = w.organization_id
          and c.resource_type = any($3::text[]) and ${isPriceInForce}) as prices
      from workspaces w join organizations o on o.id = w.organization_id
      where w.organization_id = $1 and w.id = $2`,
    values: [organizationId, workspaceId, resourceTypes],
  })
  if (!row) throw notFound()
  const { settings, policies, prices, budgets, accountNumber, accountHasBill, ...workspace } = row
  return { workspace, policies, prices, budgets, accountNumber, accountHasBill, settings }
}
