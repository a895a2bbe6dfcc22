import { askNamed } from '../driver/ask-prepared.ts'
import { notFound } from '../../domain/errors.ts'
import type { Strategy } from '../../domain/manifest/resolve-strategy.ts'
import type { DeployWarning } from '../../domain/pipelines/deployment.ts'
import type { ReleasePlan } from '../../domain/pipelines/release-plan.ts'
import type { Envelope } from '../../domain/signing/dsse.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { latestFirst } from '../latest-first.ts'

/** The deployment of a run, which has its id. */
export type DeploymentRow = {
  pipelineRunId: number
  pipelineId: number
  workspaceId: number
  strategy: Strategy
  hooks: ReleasePlan['hooks']
  /** The address that is asked from outside. */
  probe: ReleasePlan['probe']
  /** Those that a host must have; null for a deployment from before they were stored. */
  labels: ReleasePlan['labels'] | null
  probeAskedAt: Date | null
  probeOkAt: Date | null
  /** Bad answers in a row. */
  probeFailures: number
  artifactRunId: number
  earlierRunId: number | null
  batch: number
  batches: number
  confirmed: number[]
  confirmStep: number | null
  stop: 'canceled' | 'replaced' | null
  rolledBackTo: number | null
  warnings: DeployWarning[]
  workspaceRunId: number | null
  agentsUntil: Date
  outcome: 'succeeded' | 'failed' | null
  startedAt: Date
  endedAt: Date | null
}

export type NewDeployment = Pick<
  DeploymentRow,
  'pipelineRunId' | 'pipelineId' | 'workspaceId' | 'strategy' | 'artifactRunId' | 'earlierRunId'
> &
  Pick<ReleasePlan, 'hooks' | 'probe' | 'keep' | 'labels'> & {
    outputs: Record<string, string>
    /** Sealed; null without variables. */
    variables: Buffer | null
    agentWaitMinutes: number
  }

const columns = [
  'pipelineRunId',
  'pipelineId',
  'workspaceId',
  'strategy',
  'hooks',
  'probe',
  'labels',
  'probeAskedAt',
  'probeOkAt',
  'probeFailures',
  'artifactRunId',
  'earlierRunId',
  'batch',
  'batches',
  'confirmed',
  'confirmStep',
  'stop',
  'rolledBackTo',
  'warnings',
  'workspaceRunId',
  'agentsUntil',
  'outcome',
  'startedAt',
  'endedAt',
] as const

/** The deployments of one organization. Which hosts they change is in `deployment-hosts.ts`. */
export function deployments(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('deployments').where({ organizationId })
  const row = (pipelineRunId: number) => rows().where({ pipelineRunId })
  return {
    async find(pipelineRunId: number): Promise<DeploymentRow | undefined> {
      return row(pipelineRunId).first(...columns)
    },

    async ofRuns(pipelineRunIds: readonly number[]): Promise<DeploymentRow[]> {
      if (pipelineRunIds.length === 0) return []
      return rows()
        .whereIn('pipelineRunId', [...pipelineRunIds])
        .select(...columns)
    },

    /** The row stays locked until the transaction ends. */
    async getForUpdate(pipelineRunId: number): Promise<DeploymentRow> {
      const found = await row(pipelineRunId)
        .forUpdate()
        .first(...columns)
      if (!found) throw notFound()
      return found
    },

    /** The deployment under way that a run of a workspace carries out. */
    async liveOfWorkspaceRun(workspaceRunId: number): Promise<number | undefined> {
      const query = db.raw(
        `select pipeline_run_id as "pipelineRunId" from deployments
         where organization_id = ? and workspace_run_id = ? and ended_at is null`,
        [organizationId, workspaceRunId],
      )
      const [found] = await askNamed<{ pipelineRunId: number }>(db, 'deployment-by-run', query)
      return found?.pipelineRunId
    },

    async setWorkspaceRun(pipelineRunId: number, workspaceRunId: number): Promise<void> {
      await row(pipelineRunId).update({ workspaceRunId })
    },

    /** Whether the pipeline's latest deployment was a run of its target. */
    async isByWorkspace(pipelineId: number): Promise<boolean> {
      const latest = await rows()
        .where({ pipelineId })
        .orderByRaw(latestFirst('deployments'))
        .first('via')
      return latest?.via === 'workspace'
    },

    /** How many blue-green deployments ended well within their `keepOld`: each has an old release that is kept. */
    async heldByBlueGreen(of: { pipelineId: number; workspaceId: number }): Promise<number> {
      const found = await rows()
        .where({ ...of, outcome: 'succeeded' })
        .whereRaw(`strategy ->> 'kind' = 'blue-green'`)
        .whereRaw(
          `ended_at > now() - make_interval(secs => (strategy ->> 'keepOldSeconds')::integer)`,
        )
        .count<Array<{ count: string }>>()
      return Number(found[0]?.count ?? 0)
    },

    /** Compare-and-swap: the answer counts once, whoever else has asked at the same time. */
    async noteProbe(
      pipelineRunId: number,
      { askedBefore, isGood }: { askedBefore: Date | null; isGood: boolean },
    ): Promise<boolean> {
      const noted = await row(pipelineRunId)
        .whereNull('endedAt')
        .whereRaw('probe_asked_at is not distinct from ?::timestamptz', [askedBefore])
        .update({
          probeAskedAt: db.fn.now(),
          probeFailures: isGood ? 0 : db.raw('probe_failures + 1'),
          ...(isGood && { probeOkAt: db.fn.now() }),
        })
      return noted > 0
    },

    async isLive(pipelineId: number): Promise<boolean> {
      const found = await rows().where({ pipelineId }).whereNull('endedAt').first('pipelineRunId')
      return found !== undefined
    },

    /** False if the run has one, or another of its pipeline is under way. */
    async open({ agentWaitMinutes, ...deployment }: NewDeployment): Promise<boolean> {
      const opened = await db('deployments')
        .insert({
          organizationId,
          ...deployment,
          via: deployment.strategy.kind === 'workspace' ? 'workspace' : 'agents',
          strategy: JSON.stringify(deployment.strategy),
          hooks: JSON.stringify(deployment.hooks),
          probe: deployment.probe && JSON.stringify(deployment.probe),
          labels: JSON.stringify(deployment.labels),
          outputs: JSON.stringify(deployment.outputs),
          agentsUntil: db.raw('now() + make_interval(mins => ?)', [agentWaitMinutes]),
        })
        .onConflict()
        .ignore()
        .returning('pipelineRunId')
      return opened.length === 1
    },

    /** Once: what was signed first stays. */
    async noteOrder(pipelineRunId: number, order: Envelope): Promise<void> {
      await row(pipelineRunId)
        .whereNull('signedOrder')
        .update({ signedOrder: JSON.stringify(order) })
    },

    /** A rollback by hand that takes the place of a canceled one replaces it. False where it is over. */
    async requestStop(pipelineRunId: number, stop: 'canceled' | 'replaced'): Promise<boolean> {
      const stopped = await row(pipelineRunId)
        .whereNull('endedAt')
        .whereRaw(stop === 'replaced' ? `stop is distinct from 'replaced'` : 'stop is null')
        .update({ stop })
      return stopped > 0
    },

    /** Once, of a deployment from before they were stored. */
    async noteLabels(pipelineRunId: number, labels: ReleasePlan['labels']): Promise<void> {
      await row(pipelineRunId)
        .whereNull('labels')
        .update({ labels: JSON.stringify(labels) })
    },

    async setBatches(pipelineRunId: number, at: { batch: number; batches: number }): Promise<void> {
      await row(pipelineRunId).update(at)
    },

    /** It waits for a person after this step. False where it does so already. */
    async awaitConfirm(pipelineRunId: number, step: number): Promise<boolean> {
      const set = await row(pipelineRunId)
        .whereNull('endedAt')
        .whereRaw('confirm_step is distinct from ?', [step])
        .update({ confirmStep: step })
      return set > 0
    },

    async endConfirm(pipelineRunId: number): Promise<void> {
      await row(pipelineRunId).whereNotNull('confirmStep').update({ confirmStep: null })
    },

    /** False unless it waits after this step of this release, and is not stopped. */
    async confirm(
      pipelineRunId: number,
      { step, releaseDigest }: { step: number; releaseDigest: string | null },
    ): Promise<boolean> {
      const run = db('application_runs').where({ organizationId, pipelineRunId, releaseDigest })
      const confirmed = await row(pipelineRunId)
        .where({ confirmStep: step })
        .whereNull('endedAt')
        .whereExists(run.select('pipelineRunId'))
        .update({
          confirmStep: null,
          confirmed: db.raw('array_append(confirmed, ?::integer)', [step]),
        })
      return confirmed > 0
    },

    /** Once: false where it is over. */
    async end(
      pipelineRunId: number,
      {
        outcome,
        warnings = [],
        rolledBackTo = null,
      }: {
        outcome: 'succeeded' | 'failed'
        warnings?: readonly DeployWarning[]
        rolledBackTo?: number | null
      },
    ): Promise<boolean> {
      const ended = await row(pipelineRunId)
        .whereNull('endedAt')
        .update({
          outcome,
          warnings: [...warnings],
          rolledBackTo,
          confirmStep: null,
          endedAt: db.fn.now(),
        })
      return ended > 0
    },
  }
}
