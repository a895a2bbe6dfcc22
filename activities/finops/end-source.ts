import { Context } from '@temporalio/activity'
import { endSource as end } from '../../app/finops/end-source.ts'
import { noteIngested } from '../../app/finops/note-billed-resources.ts'
import { scoreIngested } from '../../app/finops/score-ingested.ts'
import type { SourceInput } from '../../workflows/finops/contract.ts'
import type { Deps } from '../deps.ts'
import { beatWhile } from '../beat-while.ts'

/** Otherwise a fault of the scoring would keep the ingest, and with it all bills of the organization, for ever. */
const scoringAttempts = 10

/**
 * Says what became of a source, by its slices or by the code of what failed as a whole. What was loaded is
 * scored before, also where a later look failed: once the ingest has ended, its anomalies are there.
 */
export const endSource =
  ({ store, log }: Pick<Deps, 'store' | 'log'>) =>
  async ({ organizationId, code, ...at }: SourceInput & { code?: string }): Promise<void> => {
    const { attempt } = Context.current().info
    if (attempt <= scoringAttempts)
      await beatWhile(async () =>
        scoreIngested(store, {
          organizationId,
          ingestId: at.ingestId,
          sourceId: at.sourceId,
        }),
      )
    else
      log.error(
        { organizationId, ...at },
        'what was loaded is not scored: too many attempts failed',
      )
    if (code === undefined)
      await noteIngested(store, { organizationId, ...at }).catch((error: unknown) =>
        log.warn({ err: error, organizationId, ...at }, 'resources of a bill are noted later'),
      )
    await store.tenant(organizationId, async (tenant) =>
      end(tenant, { ...at, failure: code ?? null }),
    )
  }
