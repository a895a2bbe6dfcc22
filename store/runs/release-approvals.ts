import type { Caller } from '../../domain/access/caller.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type ReleaseApproval = {
  id: number
  userId: number
  decision: 'approved' | 'rejected'
  planDigest: string
  /** Who configured the identity provider of the approving session. */
  idpSavedBy: number[] | null
  /** The state that the target had then; null: none, or the approval is from before this was noted. */
  stateVersionId: number | null
}

type NewReleaseApproval = {
  pipelineRunId: number
  step: number
  userId: number
  decision: 'approved' | 'rejected'
  comment: string | null
  planDigest: string
  stateVersionId: number | null
  credential: Pick<Caller, 'kind' | 'credentialId'>
}

/** Decisions on runs of applications: before the deployment (step 0), and after its steps. At most one of a step is in force. */
export function releaseApprovals(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const standing = (pipelineRunId: number, step: number) =>
    db('approvals').where({ organizationId, pipelineRunId, step }).whereNull('voidedAt')
  return {
    async standing(pipelineRunId: number, step = 0): Promise<ReleaseApproval | undefined> {
      return standing(pipelineRunId, step).first(
        'id',
        'userId',
        'decision',
        'planDigest',
        'idpSavedBy',
        'stateVersionId',
      )
    },

    /** False if another decision of this step is in force: the first writer wins. */
    async create({ credential, ...approval }: NewReleaseApproval): Promise<boolean> {
      const idpSavedBy = db(credential.kind === 'session' ? 'sessions' : 'tokens')
        .where({ organizationId, id: credential.credentialId })
        .select('idpSavedBy')
      const created = await db('approvals')
        .insert({ organizationId, ...approval, idpSavedBy })
        .onConflict(
          db.raw('(pipeline_run_id, step) where voided_at is null and pipeline_run_id is not null'),
        )
        .ignore()
        .returning('id')
      return created.length === 1
    },

    /** False if there was none. */
    async voidStanding(pipelineRunId: number, voidReason: string): Promise<boolean> {
      const count = await standing(pipelineRunId, 0).update({ voidedAt: db.fn.now(), voidReason })
      return count > 0
    },

    /** Whether a person said no, to the release or after one of its steps. */
    async isRejected(pipelineRunId: number): Promise<boolean> {
      const found = await db('approvals')
        .where({ organizationId, pipelineRunId, decision: 'rejected' })
        .whereNull('voidedAt')
        .first('id')
      return found !== undefined
    },

    /** The runs between approval and deployment, whose approver may have lost the right to it. */
    async beforeDeploy(): Promise<Array<{ runId: number; pipelineId: number }>> {
      return db('application_runs as a')
        .join('approvals as v', (on) =>
          on.on('v.organizationId', 'a.organizationId').on('v.pipelineRunId', 'a.pipelineRunId'),
        )
        .where({ 'a.organizationId': organizationId, 'a.phase': 'deploy_queued', 'v.step': 0 })
        .whereNull('v.voidedAt')
        .orderBy(['a.pipelineId', 'a.pipelineRunId'])
        .select('a.pipelineRunId as runId', 'a.pipelineId')
    },
  }
}
