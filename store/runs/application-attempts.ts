import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The steps of a run whose attempts are counted. */
export type CountedStep = 'source' | 'build'
const countOf = { source: 'sourcesBegun', build: 'buildsBegun' } as const

/** The attempts of a run's steps. */
export function applicationAttempts(tenant: Tenant, pipelineRunId: number) {
  const { db, organizationId } = unwrap(tenant)
  const row = () => db('application_runs').where({ organizationId, pipelineRunId })
  return {
    /**
     * Counts an attempt before anything of the author's is opened, and says which it is. Undefined if
     * the run has another phase by now.
     */
    async begin(
      step: CountedStep,
      { phase, engineRunId }: { phase: ApplicationPhase; engineRunId: string },
    ): Promise<number | undefined> {
      const count = countOf[step]
      const [counted] = await row()
        .where({ phase })
        .update({ engineRunId, waitsForSlotSince: null, [count]: db.raw('?? + 1', [count]) })
        .returning([count])
      return counted?.[count]
    },

    /** A workflow has the run, also while it waits. */
    async noteEngine(engineRunId: string): Promise<void> {
      await row().update({ engineRunId })
    },

    /** A step was handed back, since the organization holds its share of the worker's slots. */
    async noteWaitForSlot(engineRunId: string): Promise<void> {
      await row()
        .whereNull('waitsForSlotSince')
        .whereIn('phase', ['queued', 'sourcing', 'building'])
        .update({ engineRunId, waitsForSlotSince: db.fn.now() })
    },

    /** A step that counts no attempt of its own has a slot. */
    async endWaitForSlot(): Promise<void> {
      await row().whereNotNull('waitsForSlotSince').update({ waitsForSlotSince: null })
    },

    /** Whether no later attempt of the step was begun. */
    async isNewest(step: CountedStep, begun: number): Promise<boolean> {
      const newest = await row()
        .where({ [countOf[step]]: begun })
        .first('pipelineRunId')
      return newest !== undefined
    },

    /**
     * An attempt that ended in order, such as one of a worker that was told to stop, was not lost. Not once a later
     * one was begun: that one takes another number than its own for the sign that it is over.
     */
    async forget(step: CountedStep, begun: number): Promise<void> {
      const count = countOf[step]
      await row()
        .where({ [count]: begun })
        .update({ [count]: begun - 1 })
    },
  }
}
