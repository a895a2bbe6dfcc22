import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import { placeOfPiece } from '../../gateways/keyring/place-of-piece.ts'
import { piecesAfter, type StoredPiece } from '../../store/infrastructure/plan-parts.ts'
import type { StoredPlan } from '../../store/infrastructure/plans.ts'
import type { Deps } from '../deps.ts'

/** Pieces in memory at once: a megabyte. */
const atOnce = 4

/**
 * The pieces of these parts of a stored plan, opened, in the order of their names. A missing piece is an
 * error: a truncated plan must not pass for a whole one.
 */
export async function* readPlanParts(
  { store, keyring }: Pick<Deps, 'store' | 'keyring'>,
  organizationId: number,
  { plan, parts }: { plan: PlanPieces; parts: readonly PlanPart[] },
): AsyncGenerator<{ part: PlanPart; bytes: Buffer }> {
  const { workspaceRunId, attempt } = plan
  const expected = parts
    .toSorted()
    .flatMap((part) => Array.from({ length: plan.pieces[part] ?? 0 }, (_, seq) => ({ part, seq })))
  let last: Pick<StoredPiece, 'part' | 'seq'> | undefined
  for (let at = 0; at < expected.length; at += atOnce) {
    const page = { parts, last, limit: atOnce }
    const rows = await piecesAfter(store, { organizationId, workspaceRunId, attempt }, page)
    for (const wanted of expected.slice(at, at + atOnce)) {
      const row = rows.shift()
      if (row?.part !== wanted.part || row.seq !== wanted.seq)
        throw new Error('a piece of a stored plan is missing')
      const place = placeOfPiece({ organizationId, workspaceRunId, attempt, ...wanted })
      yield { part: wanted.part, bytes: keyring.open(place, row.body) }
    }
    last = expected[at + atOnce - 1]
  }
}

type PlanPieces = Pick<StoredPlan, 'workspaceRunId' | 'attempt' | 'pieces'>
