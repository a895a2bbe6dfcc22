import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultsOfConnection } from '../../../domain/pipelines/parts-of-change.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('who changed a pipeline, once it is deployed', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
    world = await deployWorld(harness)
  })
  afterAll(async () => harness?.close())

  test('a change counts as deployed by a run that was built after it, on the target of now', async () => {
    await world.hosts.add('a')
    const { platform } = harness.deps.store
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    const own = { organizationId: world.org.id, pipelineId: world.pipelineId }
    const change = async (what: string, minutes: number) =>
      platform('pipeline_authorship').insert({
        ...own,
        userId: world.owner.id,
        what,
        part: 'build',
        at: at(minutes),
      })
    const open = async () => {
      const rows = platform('pipeline_authorship').where(own).whereNull('deployedAt')
      return rows.orderBy('id').pluck('what')
    }
    const builtFrom = async (minutes: number) => {
      const run = await world.built()
      const build = platform('stages').where({ pipelineRunId: run.id, name: 'build' })
      await build.update({ startedAt: at(minutes) })
      return run
    }
    const deploy = async (run: { id: number }) => activities.deploy(run, world.hosts)
    await change('before', -30)
    await change('during', -10)
    const run = await builtFrom(-20)
    const target = await world.org.workspace({ by: world.owner })
    await activities.open(run.id)
    const pipeline = platform('pipelines').where({ id: world.pipelineId })
    await pipeline.clone().update({ targetWorkspaceId: target.id })
    await deploy(run)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    expect(await open()).toEqual(['before', 'during'])
    await pipeline.clone().update({ targetWorkspaceId: world.workspaceId })
    const next = await builtFrom(-20)
    await deploy(next)
    expect(await open()).toEqual(['during'])
    // What was built before a change says nothing about it, however often it is deployed.
    const { json } = await world.owner.post(`${next.url}/rollback`, {})
    await platform('stages')
      .where({ pipelineRunId: json().run.id, name: 'build' })
      .update({ startedAt: at(0) })
    await deploy(json().run)
    expect(await open()).toEqual(['during'])
    await deploy(await builtFrom(0))
    expect(await open()).toEqual([])
  })

  test('a change of the branch counts as deployed by a run of the branch that the pipeline has', async () => {
    const own = await deployWorld(harness)
    await own.hosts.add('a')
    const { platform } = harness.deps.store
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    const changes = () => platform('pipeline_authorship').where({ pipelineId: own.pipelineId })
    const noted = ['appPath', 'appBranch, sbom', defaultsOfConnection]
    for (const what of noted)
      await platform('pipeline_authorship').insert({
        organizationId: own.org.id,
        pipelineId: own.pipelineId,
        userId: own.owner.id,
        what,
        part: 'build',
        at: at(-30),
      })
    const open = async () => changes().whereNull('deployedAt').orderBy('id').pluck('what')
    const ofBranch = async (branch: string) =>
      platform('pipelines').where({ id: own.pipelineId }).update({ appBranch: branch })
    const deployed = async (revision: { branch: string | null; tag?: string; origin?: string }) => {
      const run = await own.built()
      await platform('application_runs').where({ pipelineRunId: run.id }).update(revision)
      await platform('stages')
        .where({ pipelineRunId: run.id, name: 'build' })
        .update({ startedAt: at(-20) })
      await activities.deploy(run, own.hosts)
      expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    }
    await ofBranch('evil')
    await deployed({ branch: null })
    expect(await open()).toEqual(noted.slice(1))
    await deployed({ branch: null, tag: 'v1' })
    await deployed({ branch: 'main' })
    expect(await open()).toEqual(noted.slice(1))
    await deployed({ branch: 'evil' })
    expect(await open()).toEqual([])

    // Nothing names a branch: pushes of the host's default branch start runs.
    await platform('pipelines').where({ id: own.pipelineId }).update({ appBranch: null })
    await changes().update({ deployedAt: null })
    await deployed({ branch: 'main' })
    await deployed({ branch: null, tag: 'v1', origin: 'push' })
    expect(await open()).toEqual(noted.slice(1))
    await deployed({ branch: 'main', origin: 'push' })
    expect(await open()).toEqual([])
  })
})
