import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'

class PlanPartRow extends Model {
  static override tableName = 'plan_parts'
  static override idColumn = ['workspaceRunId', 'attempt', 'part', 'seq']
  declare workspaceRunId: number
  declare organizationId: number
  declare attempt: string
  declare part: PlanPart
  declare seq: number
  /** Sealed. */
  declare body: Buffer
}

export type StoredPiece = Pick<PlanPartRow, 'part' | 'seq' | 'body'>

/** The pieces of a run's plan that one attempt wrote; `plans.attempt` names the valid one. */
export function planParts(
  tenant: Tenant,
  { runId: workspaceRunId, attempt }: { runId: number; attempt: string },
) {
  const { db, organizationId } = unwrap(tenant)

  const mine = () => PlanPartRow.query(db).where({ organizationId, workspaceRunId })
  return {
    async add(pieces: readonly StoredPiece[]): Promise<void> {
      for (const piece of pieces)
        await PlanPartRow.query(db).insert({ organizationId, workspaceRunId, attempt, ...piece })
    },

    /** The next pieces of these parts, in the order of (part, seq). */
    async after(
      parts: readonly PlanPart[],
      last: Pick<StoredPiece, 'part' | 'seq'> | undefined,
      limit: number,
    ): Promise<StoredPiece[]> {
      return mine()
        .where({ attempt })
        .whereIn('part', [...parts])
        .where((query) => {
          if (last)
            void query
              .where('part', '>', last.part)
              .orWhere((same) => void same.where('part', last.part).where('seq', '>', last.seq))
        })
        .orderBy([{ column: 'part' }, { column: 'seq' }])
        .limit(limit)
        .select('part', 'seq', 'body')
    },

    /** Deletes what other attempts left. */
    async removeOthers(): Promise<void> {
      await mine().whereNot({ attempt }).delete()
    },
  }
}
