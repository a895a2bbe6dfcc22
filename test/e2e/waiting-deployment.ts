import type { Harness } from '../harness/create-harness.ts'
import { testDeployment } from '../harness/deployments.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'

export type WaitingDeployment = {
  /** Of its page. */
  path: string
  /** Of its run in the API. */
  url: string
  waitAfter(step: number): Promise<void>
  /** The steps that a person has let go on, and the one that waits. */
  steps(): Promise<{ confirmed: number[]; confirmStep: number | null }>
}

/** A deployment that waits after step 1 of 3, without agents and a worker. */
export async function waitingDeployment(
  harness: Harness,
  { org, by }: { org: TestOrganization; by: TestUser },
): Promise<WaitingDeployment> {
  const { deps } = harness
  const workspace = await org.workspace({ by })
  const { id, pipelineId, digest } = await testDeployment(deps, org.id, {
    workspaceId: workspace.id,
  })
  const db = deps.store.platform
  const row = () => db('deployments').where({ pipelineRunId: id })
  await db('application_runs')
    .where({ pipelineRunId: id })
    .update({ phase: 'deploying', releaseDigest: digest, startedAt: new Date() })
  await db('stages').where({ pipelineRunId: id }).update({ state: 'succeeded' })
  await db('stages').where({ pipelineRunId: id, name: 'deploy' }).update({ state: 'running' })
  const waitAfter = async (step: number) => {
    await row().update({ confirmStep: step, batch: step, batches: 3 })
  }
  await waitAfter(1)
  const path = `/pipelines/${pipelineId}/runs/${id}`
  return {
    path,
    url: `/api${path}`,
    waitAfter,
    steps: async () => row().first('confirmed', 'confirmStep'),
  }
}
