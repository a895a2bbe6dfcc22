import { askPrepared } from '../driver/ask-prepared.ts'
import type { Store } from '../driver/connect.ts'
import type { PreparedQuery, Scalar } from '../driver/kept-query.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { OrganizationSettings } from '../organizations/settings.ts'
import type { Policy } from '../policies/policies.ts'
import { selectList } from '../select-list.ts'
import type { StateVersion } from '../workspaces/state-versions.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import type { StoredPlan } from './plans.ts'
import { isPriceInForce, selectBudgets, type RulesOfWorkspace } from './rules-of-workspace.ts'

const ofPlan = [
  'workspaceRunId',
  'attempt',
  'pieces',
  'engineVersion',
  'configurationSha256',
  'variablesMac',
  'stateLineage',
  'stateSerial',
  'policiesVersion',
  'pricesVersion',
  'sensitiveVariables',
  'resourceTypes',
  'budgetReach',
] as const

/** A plan without what only its readers are shown. */
export type PlanToApply = Omit<StoredPlan, 'overview' | 'estimate'>

/** What judges the plans of a workspace, by its versions: with all policies of the organization. */
export type RulesInForce = {
  workspace: Pick<Workspace, 'id' | 'name' | 'criticality' | 'costLimitMonthly' | 'unpriced'>
  policies: Array<Pick<Policy, 'id' | 'version' | 'workspaces'>>
  prices: Array<{ id: number; version: number; validFrom: string }>
  budgets: RulesOfWorkspace['budgets']
  /** As they are stored, without defaults. */
  settings: Partial<OrganizationSettings>
}

export type JudgedPlan = {
  plan: PlanToApply
  /** Of the plan's own types of resources. */
  rules: RulesInForce
  /** The workspace's current state. */
  state: Pick<StateVersion, 'serial' | 'lineage'> | undefined
}

type Row = PlanToApply &
  RulesInForce['workspace'] &
  Omit<RulesInForce, 'workspace'> & { currentSerial: number | null; currentLineage: string | null }

const asking = (organizationId: number, workspaceRunId: number): PreparedQuery<Scalar> => ({
  name: 'judged-plan',
  text: `select ${selectList('p', ofPlan)},
    w.id, w.name, w.criticality, w.cost_limit_monthly as "costLimitMonthly", w.unpriced, o.settings,
    s.serial as "currentSerial", s.lineage as "currentLineage",
    (select coalesce(jsonb_agg(jsonb_build_object('id', y.id, 'version', y.version,
        'workspaces', y.workspaces) order by y.id), '[]')
      from policies y where y.organization_id = p.organization_id) as policies,
    (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'version', c.version,
        'validFrom', c.valid_from::text) order by c.id), '[]')
      from prices c where c.organization_id = p.organization_id
        and c.resource_type = any(p.resource_types) and ${isPriceInForce}) as prices,
    ${selectBudgets('p')} as budgets
    from plans p
      join workspace_runs r on r.organization_id = p.organization_id and r.id = p.workspace_run_id
      join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
      join organizations o on o.id = p.organization_id
      left join lateral (select v.serial, v.lineage from state_versions v
        where v.organization_id = w.organization_id and v.workspace_id = w.id and v.status = 'finalized'
        order by v.generation desc, v.serial desc limit 1) s on true
    where p.organization_id = $1 and p.workspace_run_id = $2`,
  values: [organizationId, workspaceRunId],
})

function toJudged(row: Row | undefined): JudgedPlan | undefined {
  if (!row) return undefined
  const { settings, policies, prices, budgets, currentSerial, currentLineage, ...rest } = row
  const { id, name, criticality, costLimitMonthly, unpriced, ...plan } = rest
  return {
    plan,
    rules: {
      workspace: { id, name, criticality, costLimitMonthly, unpriced },
      policies,
      prices,
      budgets,
      settings,
    },
    state:
      currentSerial === null || currentLineage === null
        ? undefined
        : { serial: currentSerial, lineage: currentLineage },
  }
}

/** A run's stored plan, with what it is compared with: the rules in force and the current state. */
export async function judgedPlan(
  tenant: Tenant,
  workspaceRunId: number,
): Promise<JudgedPlan | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const [row] = await askPrepared<Row>(db, asking(organizationId, workspaceRunId))
  return toJudged(row)
}

/** The same, in a transaction of its own. */
export async function findJudgedPlan(
  store: Pick<Store, 'read'>,
  organizationId: number,
  workspaceRunId: number,
): Promise<JudgedPlan | undefined> {
  const [row] = await store.read<Row>(organizationId, asking(organizationId, workspaceRunId))
  return toJudged(row)
}
