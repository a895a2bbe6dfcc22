import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import type { Store } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** `body` is sealed. */
export type StoredPiece = { part: PlanPart; seq: number; body: Buffer }

/** The pieces of a run's plan that one attempt wrote; `plans.attempt` names the valid one. */
export function planParts(
  tenant: Tenant,
  { workspaceRunId, attempt }: { workspaceRunId: number; attempt: string },
) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async add(pieces: readonly StoredPiece[]): Promise<void> {
      if (pieces.length === 0) return
      await db('plan_parts').insert(
        pieces.map((piece) => ({ organizationId, workspaceRunId, attempt, ...piece })),
      )
    },
  }
}

/** The next pieces of these parts, in the order of (part, seq). */
export async function piecesAfter(
  store: Pick<Store, 'read'>,
  {
    organizationId,
    workspaceRunId,
    attempt,
  }: { organizationId: number; workspaceRunId: number; attempt: string },
  { parts, last, limit }: Page,
): Promise<StoredPiece[]> {
  return store.read<StoredPiece>(organizationId, {
    name: 'pieces-of-plan',
    text: `select part, seq, body from plan_parts
      where organization_id = $1 and workspace_run_id = $2 and attempt = $3
        and part = any($4::text[]) and (part, seq) > ($5::text, $6::integer)
      order by part, seq limit $7`,
    values: [
      organizationId,
      workspaceRunId,
      attempt,
      parts,
      last?.part ?? '',
      last?.seq ?? 0,
      limit,
    ],
  })
}

type Page = {
  parts: readonly PlanPart[]
  last: Pick<StoredPiece, 'part' | 'seq'> | undefined
  limit: number
}
