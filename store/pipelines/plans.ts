import { Model } from 'objection'
import type { Db } from '../connect.ts'

export class PlanRow extends Model {
  static override tableName = 'plans'
  static override idColumn = 'workspaceRunId'
  declare workspaceRunId: number
  declare organizationId: number
  /** Sealed, like the two after it. */
  declare planFile: Buffer
  declare lockFile: Buffer | null
  /** Sealed: the archive of the modules that were fetched. */
  declare modules: Buffer | null
  declare planJson: Buffer
  declare engineVersion: string
  declare configurationSha256: string
  declare variablesMac: string
  declare stateLineage: string | null
  declare stateSerial: number | null
  declare policiesVersion: string
  declare pricesVersion: string
  /** Names of the variables that the workspace kept as sensitive when this was planned. */
  declare sensitiveVariables: string[]
}

export type StoredPlan = Omit<PlanRow, keyof Model | 'organizationId'>

/** What a run keeps between plan and apply (runs.md, Digest). */
export function plans(db: Db, organizationId: number) {
  return {
    /** A plan made again, after its runner was lost, takes the place of the one before. */
    async save(plan: StoredPlan): Promise<void> {
      await PlanRow.query(db)
        .insert({ organizationId, ...plan })
        .onConflict('workspaceRunId')
        .merge()
    },

    async get(workspaceRunId: number): Promise<StoredPlan | undefined> {
      return PlanRow.query(db).findOne({ organizationId, workspaceRunId })
    },

    /** What a page shows of a plan, without the plan file itself. */
    async shown(
      workspaceRunId: number,
    ): Promise<Pick<StoredPlan, 'planJson' | 'sensitiveVariables'> | undefined> {
      return PlanRow.query(db)
        .select('planJson', 'sensitiveVariables')
        .findOne({ organizationId, workspaceRunId })
    },

    async recordVersions(
      workspaceRunId: number,
      versions: { policiesVersion: string; pricesVersion: string },
    ): Promise<void> {
      await PlanRow.query(db).where({ organizationId, workspaceRunId }).patch(versions)
    },
  }
}
