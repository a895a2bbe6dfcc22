import type { ReleasePlan } from '../../domain/pipelines/release-plan.ts'
import type { Strategy } from '../../domain/manifest/resolve-strategy.ts'
import type { Envelope } from '../../domain/signing/dsse.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a host is told to fetch and to run. */
export type DeployedRelease = {
  runId: number
  /** The run that built it. */
  artifactRunId: number
  digest: string
  contentDigest: string
  sizeBytes: number
  /** The signed bundle; null before it is signed. */
  provenance: unknown
  /** Its bytes are no longer kept. */
  isGone: boolean
  hooks: ReleasePlan['hooks']
  keep: number
  outputs: Record<string, string>
  /** Sealed; null without any. */
  variables: Buffer | null
  commitSha: string | null
  pipelineName: string
  workspaceId: number
  workspaceName: string
  strategy: Strategy
  /** Signed when the deployment began; null for one that began before there were orders. */
  order: Envelope | null
}

/** The release of a deployment; undefined if it is gone. */
export async function releaseOfDeployment(
  tenant: Tenant,
  deploymentId: number,
): Promise<DeployedRelease | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select d.pipeline_run_id as "runId", d.artifact_run_id as "artifactRunId", f.digest, f.content_digest as "contentDigest",
       f.size_bytes as "sizeBytes", f.provenance,
       f.swept_at is not null as "isGone", d.hooks, d.keep, d.outputs, d.variables,
       r.commit_sha as "commitSha", p.name as "pipelineName", w.name as "workspaceName",
       d.workspace_id as "workspaceId", d.strategy, d.signed_order as "order"
     from deployments d
       join artifacts f on f.organization_id = d.organization_id and f.pipeline_run_id = d.artifact_run_id
       join application_runs r on r.organization_id = d.organization_id and r.pipeline_run_id = d.pipeline_run_id
       join pipelines p on p.organization_id = d.organization_id and p.id = d.pipeline_id
       join workspaces w on w.organization_id = d.organization_id and w.id = d.workspace_id
     where d.organization_id = ? and d.pipeline_run_id = ?`,
    [organizationId, deploymentId],
  )
  return rows[0]
}
