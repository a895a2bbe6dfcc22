import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a run is started for, beside its branch and commit. */
export type RunTrigger = {
  tag?: string | null
  /** The delivery that told of a push or tag. */
  triggerId?: number | null
  authorUserIds?: readonly number[]
  unknownAuthor?: boolean
}

export type QueuedRun = {
  runId: number
  number: number
  phase: ApplicationPhase
  origin: RunOrigin
  tag: string | null
  isRollback: boolean
}

/** The runs of a pipeline of an application, by what started them. */
export function triggeredRuns(tenant: Tenant, pipelineId: number) {
  const { db, organizationId } = unwrap(tenant)
  const joined = `from application_runs a
    join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
    where a.organization_id = :organizationId and r.pipeline_id = :pipelineId`
  const ask = async <Row>(text: string, values: Record<string, string | number> = {}) => {
    const { rows } = await db.raw<{ rows: Row[] }>(text, { organizationId, pipelineId, ...values })
    return rows
  }

  return {
    /** In the transaction that makes the run. */
    async note(runId: number, trigger: RunTrigger): Promise<void> {
      const { authorUserIds, ...rest } = trigger
      await db('application_runs')
        .where({ organizationId, pipelineRunId: runId })
        .update({ ...rest, ...(authorUserIds && { authorUserIds: [...authorUserIds] }) })
    },

    /** The commit of the newest run of a branch that has one; of a push alone with `byPush`. */
    async newestCommit(
      branch: string,
      { byPush }: { byPush: boolean },
    ): Promise<string | undefined> {
      const [row] = await ask<{ commitSha: string }>(
        `select a.commit_sha as "commitSha" ${joined} and a.branch = :branch
           and a.commit_sha is not null ${byPush ? `and a.origin = 'push'` : ''}
         order by r.number desc limit 1`,
        { branch },
      )
      return row?.commitSha
    },

    /**
     * The newest run by a push of a tag. Its commit is null until it was fetched, if the run was made by a version
     * that did not ask the host for it.
     */
    async newestOfTag(
      tag: string,
    ): Promise<{ commitSha: string | null; phase: ApplicationPhase } | undefined> {
      const [row] = await ask<{ commitSha: string | null; phase: ApplicationPhase }>(
        `select a.commit_sha as "commitSha", a.phase ${joined} and a.tag = :tag and a.origin = 'push'
         order by r.number desc limit 1`,
        { tag },
      )
      return row
    },

    /** Older runs that no worker has begun, oldest first. */
    async queuedBefore(number: number): Promise<QueuedRun[]> {
      return ask<QueuedRun>(
        `select a.pipeline_run_id as "runId", r.number, a.phase, a.origin, a.tag,
           false as "isRollback"
         ${joined} and a.phase = 'queued' and r.number < :number order by r.number`,
        { number },
      )
    },
  }
}
