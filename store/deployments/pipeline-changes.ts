import { unwrap, type Tenant } from '../driver/tenant.ts'
import { isOfBranch, isOfOwnBranch } from '../own-branch.ts'

/** Who changed a pipeline since its last good deployment: they may not approve the next one. */
export function pipelineChanges(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /**
     * The deployment of this run succeeded. It had the changes before its build, if it built what it
     * deployed, on the target that the pipeline has now; those of the branch only if it was built from the branch that
     * the pipeline has now, so that nobody has a commit deployed and then approves their branch. A promotion had those
     * of the deployment alone, before it was started; a rollback has none of them.
     */
    async settle(pipelineRunId: number): Promise<void> {
      await db.raw(
        `update pipeline_authorship c set deployed_at = now()
         from deployments d
           join pipelines p on p.organization_id = d.organization_id and p.id = d.pipeline_id
             and p.target_workspace_id = d.workspace_id
           join application_runs a on a.organization_id = d.organization_id
             and a.pipeline_run_id = d.pipeline_run_id and a.rollback_of is null
           join stages s on s.organization_id = d.organization_id
             and s.pipeline_run_id = d.pipeline_run_id and s.name = 'build'
         where d.organization_id = ? and d.pipeline_run_id = ?
           and c.organization_id = d.organization_id and c.pipeline_id = d.pipeline_id
           and c.deployed_at is null
           and case when d.artifact_run_id = d.pipeline_run_id then c.at < s.started_at
                 and (c.part = 'deploy' or not ${isOfBranch('c')} or ${isOfOwnBranch('a')})
             else c.part = 'deploy' and c.at < a.created_at end`,
        [organizationId, pipelineRunId],
      )
    },
  }
}
