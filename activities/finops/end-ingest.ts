import { Context } from '@temporalio/activity'
import { endIngest as end } from '../../app/finops/end-ingest.ts'
import { evaluateBudgets } from '../../app/finops/evaluate-budgets.ts'
import { scoreScopesOfIngest } from '../../app/finops/score-ingested.ts'
import { tellOfUnusedCommitments } from '../../app/finops/tell-of-unused-commitments.ts'
import type { IngestInput } from '../../workflows/finops/contract.ts'
import type { Deps } from '../deps.ts'
import { beatWhile } from '../beat-while.ts'

/** Otherwise a fault of the scoring would keep the ingest, and with it all bills of the organization, for ever. */
const scoringAttempts = 10

/**
 * Ends an ingest, unless it was asked to look once more. Scores the whole cost and the tags before, and tells of budgets that the new cost breaks and
 * of commitments that are hardly used. These are transactions of their own, so that neither keeps an ingest open;
 * a repeated attempt tells nobody again.
 */
export const endIngest =
  ({ store, log }: Pick<Deps, 'store' | 'log'>) =>
  async ({
    organizationId,
    ingestId,
    code,
  }: IngestInput & { code?: string }): Promise<{ next: 'again' | 'over' }> => {
    const { attempt } = Context.current().info
    // Once the ingest has ended, its anomalies are there.
    if (attempt <= scoringAttempts)
      await beatWhile(async () => scoreScopesOfIngest(store, { organizationId, ingestId }))
    else
      log.error(
        { organizationId, ingestId },
        'the whole cost and the tags are not scored: too many attempts failed',
      )
    const next = await store.tenant(organizationId, async (tenant) =>
      end(tenant, { ingestId, failure: code ?? null }),
    )
    if (next === 'over') {
      await store.tenant(organizationId, evaluateBudgets)
      await store.tenant(organizationId, tellOfUnusedCommitments)
    }
    return { next }
  }
