import { askForm } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { samePeople } from '../same-people.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { UnseenCause } from '../../domain/runs/unseen-because.ts'
import type { WorkspaceRun } from './workspace-runs.ts'

/** `plan`: that the files may be planned. `approve`: that the plan may be applied. */
export type ApprovalStage = 'plan' | 'approve'

export type Approval = {
  id: number
  stage: ApprovalStage
  workspaceRunId: number
  userId: number
  user: string
  decision: 'approved' | 'rejected'
  comment: string | null
  planDigest: string
  at: Date
  /** Who configured the identity provider of the approving session. */
  idpSavedBy: number[] | null
  voidedAt: Date | null
  voidReason: string | null
}

/** Decisions on runs. At most one is in force; voided ones are kept for the record. */
export function approvals(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async ofRuns(workspaceRunIds: readonly number[]): Promise<Approval[]> {
      if (workspaceRunIds.length === 0) return []
      return db('approvals as a')
        .join('users as u', (on) =>
          on.on('u.organizationId', 'a.organizationId').on('u.id', 'a.userId'),
        )
        .where('a.organizationId', organizationId)
        .whereIn('a.workspaceRunId', [...workspaceRunIds])
        .orderBy('a.id')
        .select(
          'a.id',
          'a.stage',
          'a.workspaceRunId',
          'a.userId',
          db.raw(`coalesce(nullif(u.email, ''), u.name) as user`),
          'a.decision',
          'a.comment',
          'a.planDigest',
          'a.at',
          'a.idpSavedBy',
          'a.voidedAt',
          'a.voidReason',
        )
    },

    async standing(
      workspaceRunId: number,
      of: ApprovalStage = 'approve',
    ): Promise<Approval | undefined> {
      const all = await this.ofRuns([workspaceRunId])
      return all.find(({ stage, voidedAt }) => stage === of && voidedAt === null)
    },

    /**
     * The runs between approval and apply, in ascending order of workspaces, so that two concurrent
     * changes that lock these cannot deadlock.
     */
    async runsBeforeApply(): Promise<Array<{ workspaceRunId: number; workspaceId: number }>> {
      return db('workspace_runs as r')
        .join('approvals as a', (on) =>
          on.on('a.organizationId', 'r.organizationId').on('a.workspaceRunId', 'r.id'),
        )
        .where({ 'r.organizationId': organizationId })
        .where({ 'r.phase': 'apply_queued', 'a.stage': 'approve' })
        .whereNull('a.voidedAt')
        .orderBy(['r.workspaceId', 'r.id'])
        .select('r.id as workspaceRunId', 'r.workspaceId')
    },

    /** False if another decision is in force: the first writer wins. */
    async create(approval: {
      workspaceRunId: number
      stage?: ApprovalStage
      userId: number
      decision: 'approved' | 'rejected'
      comment: string | null
      planDigest: string
      /** What the decision was made with; null for none that is known. */
      credential: Pick<Caller, 'kind' | 'credentialId'> | null
    }): Promise<boolean> {
      const { credential, ...row } = approval
      const idpSavedBy =
        credential &&
        db(credential.kind === 'session' ? 'sessions' : 'tokens')
          .where({ organizationId, id: credential.credentialId })
          .select('idpSavedBy')
      const adding = db('approvals')
        .insert({ organizationId, ...row, idpSavedBy })
        .onConflict(db.raw('(workspace_run_id, stage) where voided_at is null'))
        .ignore()
        .returning('id')
      return (await askForm(db, adding)).length === 1
    },

    /**
     * Why nobody but its authors has seen what a plan of this run would execute; null if somebody has. Seen is what was
     * approved here, to be planned or applied: these files with these values of variables. Compares hashes, so that a
     * return to both needs no new approval. Modules that are not part of the files may be others by now, so an approval
     * of such files counts for its own run alone.
     */
    async unseenBecause(
      { id, configurationVersionId }: Pick<WorkspaceRun, 'id' | 'configurationVersionId'>,
      variablesDigest: string,
    ): Promise<UnseenCause | null> {
      // Each ends at the first row it finds: the workspace's row is locked, and its history may be long.
      const seen = (condition: string) => `exists (
           select from configuration_versions same
             join workspace_runs r on r.organization_id = same.organization_id
               and r.configuration_version_id = same.id
             join approvals a on a.organization_id = r.organization_id and a.workspace_run_id = r.id
           where same.organization_id = v.organization_id and same.workspace_id = v.workspace_id
             and same.files_sha256 = v.files_sha256 and ${condition}
             and a.decision = 'approved' and a.voided_at is null
             -- A confirmation is of a plan that needs no second person.
             and (a.stage = 'plan' or r.approval_reasons <> '{confirm}')
             and a.user_id <> all(${samePeople('v.author_user_ids || same.author_user_ids')}))`
      const sameVariables = 'r.variables_digest = :variablesDigest'
      const { rows } = await db.raw(
        `select case
             when v.local_modules and ${seen(sameVariables)} then null
             when ${seen(`r.id = :id and ${sameVariables}`)} then null
             when ${seen(sameVariables)}
               then case when v.local_modules is null then 'unknown_modules' else 'modules' end
             when ${seen('true')} then 'variables'
             else 'files'
           end as because
         from configuration_versions v
         where v.organization_id = :organizationId and v.id = :configurationVersionId`,
        { organizationId, id, configurationVersionId, variablesDigest },
      )
      return rows[0].because
    },

    async voidStanding(
      workspaceRunId: number,
      voidReason: string,
      stage: ApprovalStage = 'approve',
    ): Promise<boolean> {
      const count = await db('approvals')
        .where({ organizationId, workspaceRunId, stage })
        .whereNull('voidedAt')
        .update({ voidedAt: db.fn.now(), voidReason })
      return count > 0
    },
  }
}
