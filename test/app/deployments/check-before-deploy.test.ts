import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { afterArtifact } from '../../../app/runs/after-artifact.ts'
import { applicationRun } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { runAt } from '../../harness/git/application-of.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('the last look before a deployment', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    world = await deployWorld(harness)
    await world.hosts.add('a')
  })
  /** Without the audit and without what the API does about runs that wait. */
  const requireSbom = async () =>
    harness.deps.store
      .platform('pipelines')
      .where({ id: world.pipelineId })
      .update({ sbom: 'required' })

  test('a bill of materials that the pipeline requires by now, and the artifact lacks: nothing is deployed', async () => {
    const run = await world.built()
    await requireSbom()
    expect(await activities.deploy(run, world.hosts)).toEqual([])
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      endMessage:
        'The pipeline requires a bill of materials, and the artifact of this run has none. Build its commit again.',
    })
  })

  test('the same of a run that deploys what another one has built', async () => {
    const builder = await world.built()
    await activities.deploy(builder, world.hosts)
    const again = await applicationRun(harness.deps, world.org.id, {
      pipelineId: world.pipelineId,
      origin: 'person',
      authorUserId: world.owner.id,
      artifactRunId: builder.id,
    })
    await harness.deps.store.tenant(world.org.id, async (tenant) => afterArtifact(tenant, again.id))
    await requireSbom()
    expect(await activities.deploy(again, world.hosts)).toEqual([])
    expect(await runAt(world.owner, world.pipelineId, again.id).shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
    })
  })

  test('with a bill of materials it is deployed', async () => {
    const run = await world.built({ hasSbom: true })
    await requireSbom()
    expect(await activities.deploy(run, world.hosts)).toEqual(['a deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })
})
