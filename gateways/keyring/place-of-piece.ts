import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import type { SealedPlace } from './keyring.ts'

export type Piece = {
  organizationId: number
  workspaceRunId: number
  attempt: string
  part: PlanPart
  seq: number
}

/**
 * What a piece of a plan is sealed for. A piece of another run, attempt, part or position does not open, so
 * an attacker with the database cannot assemble a plan from pieces of others.
 */
export const placeOfPiece = ({
  organizationId,
  workspaceRunId,
  attempt,
  part,
  seq,
}: Piece): SealedPlace =>
  attempt === ''
    ? // A plan from before there were pieces, sealed for the column that it stood in.
      { organizationId, table: 'plans', column: part }
    : {
        organizationId,
        table: 'plan_parts',
        column: `body/${workspaceRunId}/${attempt}/${part}/${seq}`,
      }
