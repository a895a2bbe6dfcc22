import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import type { PlanEstimate } from '../../domain/finops/estimates/plan-estimate.ts'
import type { PlanReach } from '../../domain/finops/budgets/plan-reach.ts'
import type { PlanPieces } from '../../domain/infrastructure/plan-part.ts'
import type { PlanOverview } from '../../domain/infrastructure/split-plan.ts'

class PlanRow extends Model {
  static override tableName = 'plans'
  static override idColumn = 'workspaceRunId'
  declare workspaceRunId: number
  declare organizationId: number
  /** The attempt whose pieces these are (plan-parts.ts). */
  declare attempt: string
  declare pieces: PlanPieces
  declare engineVersion: string
  declare configurationSha256: string
  declare variablesMac: string
  declare stateLineage: string | null
  declare stateSerial: number | null
  declare policiesVersion: string
  declare pricesVersion: string
  /** Names of the variables that were sensitive when this was planned. */
  declare sensitiveVariables: string[]
  /** Null in a plan from before its changes were kept as rows. */
  declare overview: PlanOverview | null
  /** Each type of a resource in it, once. */
  declare resourceTypes: string[] | null
  /** What it changes in the scopes of budgets. */
  declare budgetReach: PlanReach[]

  /** What it changes of the cost, by resource; null of a plan from before this was kept. */
  declare estimate: PlanEstimate | null

  static override jsonAttributes = ['overview', 'pieces', 'budgetReach', 'estimate']
}

export type StoredPlan = Omit<PlanRow, keyof Model | 'organizationId'>

/** What a run keeps between plan and apply. */
export function plans(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * A plan that is made again, after its runner was lost, replaces the earlier one. Deletes what
     * other attempts left, in the same statement.
     */
    async save(plan: StoredPlan): Promise<void> {
      const { workspaceRunId, attempt } = plan
      const ofOthers = (table: 'plan_parts' | 'plan_changes') =>
        db(table).where({ organizationId, workspaceRunId }).whereNot({ attempt }).delete()
      const saving = PlanRow.query(db)
        .insert({ organizationId, ...plan })
        .onConflict('workspaceRunId')
        .merge()
        .returning('workspaceRunId')
      await db
        .with('parts', ofOthers('plan_parts'))
        .with('changes', ofOthers('plan_changes'))
        .with('saved', saving.toKnexQuery())
        .from('saved')
        .select(db.raw('1'))
    },

    async get(workspaceRunId: number): Promise<StoredPlan | undefined> {
      return PlanRow.query(db).findOne({ organizationId, workspaceRunId })
    },

    /** The summary of a plan for its first page, and the attempt whose rows it has. */
    async overview(
      workspaceRunId: number,
    ): Promise<
      (Pick<StoredPlan, 'attempt' | 'estimate'> & { overview: PlanOverview }) | undefined
    > {
      const row = await PlanRow.query(db)
        .select('overview', 'attempt', 'estimate')
        .findOne({ organizationId, workspaceRunId })
      if (!row?.overview) return undefined
      const { overview, attempt, estimate } = row
      return { overview, attempt, estimate }
    },

    async recordVersions(
      workspaceRunId: number,
      versions: Pick<
        StoredPlan,
        'policiesVersion' | 'pricesVersion' | 'resourceTypes' | 'budgetReach' | 'estimate'
      >,
    ): Promise<void> {
      await PlanRow.query(db).where({ organizationId, workspaceRunId }).patch(versions)
    },
  }
}
