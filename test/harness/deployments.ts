import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Deps } from '../../api/deps.ts'
import { placeOfDeployVariables } from '../../app/deployments/seal-variables.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { applicationPipeline, applicationRun } from './application-run.ts'

type Kept = Pick<Deps, 'store' | 'keyring' | 'artifacts'>

export type DeploymentOptions = {
  workspaceId: number
  pipelineId?: number
  /** Run whose release hosts go back to. */
  earlierRunId?: number
  bytes?: Buffer
  hooks?: object
  outputs?: Record<string, string>
  variables?: Record<string, string>
  outcome?: 'succeeded' | 'failed'
  /** Of the hosts that its manifest deploys to. */
  labels?: Record<string, string>
}

export type TestDeployment = {
  id: number
  pipelineId: number
  digest: string
  bytes: Buffer
}

/** A run that deploys, with its artifact in the store. Its hosts are added by `wantOf`. */
export async function testDeployment(
  deps: Kept,
  organizationId: number,
  options: DeploymentOptions,
): Promise<TestDeployment> {
  const { workspaceId, earlierRunId = null, hooks = {}, outputs = {}, outcome = null } = options
  const { bytes = randomBytes(200_000), variables, labels } = options
  const pipelineId =
    options.pipelineId ?? (await applicationPipeline(deps, organizationId, workspaceId))
  const run = await applicationRun(deps, organizationId, {
    pipelineId,
    origin: 'push',
    authorUserId: null,
  })
  const digestOf = await deps.artifacts.put(organizationId, Readable.from([bytes]), {
    maxBytes: 2 ** 30,
  })
  await deps.store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)
    const own = { organizationId, pipelineRunId: run.id }
    await db('artifact_blobs')
      .insert({ organizationId, digest: digestOf.digest })
      .onConflict(['organizationId', 'digest'])
      .ignore()
    await db('artifacts').insert({
      ...own,
      ...digestOf,
      contentDigest: `sha256:${'c'.repeat(64)}`,
      entries: 3,
      provenance: JSON.stringify({ mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' }),
    })
    // JSON is YAML.
    const deploy = { agents: { labels } }
    const manifest = { version: 1, build: { artifact: { path: 'dist' } }, deploy }
    if (labels)
      await db('application_runs')
        .where(own)
        .update({ manifest: JSON.stringify(manifest) })
    await db('deployments').insert({
      ...own,
      pipelineId,
      workspaceId,
      strategy: JSON.stringify({ kind: 'all-at-once', maxFailures: 0 }),
      artifactRunId: run.id,
      earlierRunId,
      hooks: JSON.stringify(hooks),
      outputs: JSON.stringify(outputs),
      variables: variables
        ? deps.keyring.seal(
            placeOfDeployVariables(organizationId, run.id),
            JSON.stringify(variables),
          )
        : null,
      agentsUntil: new Date(Date.now() + 3_600_000),
      outcome,
      endedAt: outcome && new Date(),
    })
  })
  return { id: run.id, pipelineId, digest: digestOf.digest, bytes }
}

/** Has a host of the deployment do something, as whoever deploys does it. */
export async function want(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  host: { deploymentId: number; agentId: number; wanted?: string; state?: string },
): Promise<void> {
  const { deploymentId, agentId, wanted = 'deploy', state = 'updating' } = host
  await store.tenant(organizationId, async (tenant) =>
    unwrap(tenant).db.raw(
      `with wanted as (
         insert into deployment_hosts (pipeline_run_id, agent_id, organization_id, position, state, batch,
           wanted, wanted_at, before_digest, before_run_id)
         select :deploymentId, a.id, a.organization_id, a.id, :state, 1, :wanted, now(), a.release_digest,
           a.release_run_id
         from agents a where a.organization_id = :organizationId and a.id = :agentId
         on conflict (pipeline_run_id, agent_id) do update set wanted = excluded.wanted,
           state = excluded.state, wanted_at = now(), claimed_at = null, leases_lost = 0,
           stop_requested_at = null
         returning agent_id)
       select pg_notify('cc_agent', agent_id::text) from wanted`,
      { organizationId, deploymentId, agentId, wanted, state },
    ),
  )
}

export async function hostRow(
  { store }: Pick<Deps, 'store'>,
  deploymentId: number,
  agentId: number,
): Promise<Record<string, unknown> & { state: string; fence: number; wanted: string | null }> {
  return store.platform('deployment_hosts').where({ pipelineRunId: deploymentId, agentId }).first()
}
