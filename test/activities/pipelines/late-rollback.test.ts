import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deployments } from '../../../store/deployments/deployments.ts'
import { inUse } from '../../../store/runs/artifact-in-use.ts'
import { releases } from '../../../store/runs/releases.ts'
import { sourceOfRun } from '../../../store/runs/source-of-run.ts'
import { applicationPipeline, applicationRun } from '../../harness/application-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { keepArtifact } from '../../harness/deploy/keep-artifact.ts'
import { runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('a rollback that is deployed after a run with a higher number', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  let second: TestUser
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    world = await deployWorld(harness, { criticality: 'production' })
    second = await world.org.user('Deployer')
    await world.hosts.add('a')
  })
  const platform = () => harness.deps.store.platform

  const approveAndDeploy = async (run: ApplicationRunOfTest) => {
    const answer = await second.post(`${run.url}/approve`, {})
    expect(answer.statusCode, answer.body).toBe(200)
    await activities.deploy(run, world.hosts)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  }
  /** By another person each, who wrote its commits. */
  const deployed = async () => {
    const author = await world.org.user('Deployer')
    const run = await world.built()
    await platform()('application_runs')
      .where({ pipelineRunId: run.id })
      .update({ authorUserIds: [author.id] })
    await approveAndDeploy(run)
    return { run, author }
  }
  /** Runs 1 and 2; the rollback to run 1 is run 3 and waits; run 4 is deployed, and then run 3. */
  const rolledBackLate = async () => {
    const one = await deployed()
    const two = await deployed()
    const { run } = (await world.owner.post(`${one.run.url}/rollback`, {})).json()
    const three = runAt(world.owner, world.pipelineId, run.id)
    const four = await deployed()
    return { one, two, three, four, roll: async () => approveAndDeploy(three) }
  }

  test('a host of the next run that fails goes back to the release that the rollback brought', async () => {
    const { three, roll } = await rolledBackLate()
    await roll()
    const five = await world.built()
    expect((await second.post(`${five.url}/approve`, {})).statusCode).toBe(200)
    const told = await activities.deploy(five, world.hosts, ({ wanted }) =>
      wanted === 'deploy' ? 'switched' : 'ok',
    )
    expect(told).toEqual(['a deploy', 'a rollback'])
    expect(await five.shown()).toMatchObject({
      state: 'failed',
      deployment: { rolledBackTo: three.id },
    })
  })

  test('commits are counted from its commit', async () => {
    const { one, three, roll } = await rolledBackLate()
    await roll()
    const good = await harness.deps.store.tenant(world.org.id, async (tenant) =>
      releases(tenant).lastGood(world.pipelineId, world.workspaceId),
    )
    const { commit } = await one.run.shown()
    expect(good).toEqual({ runId: three.id, commitSha: commit?.sha })
  })

  test('its artifact is kept, and the one that it removed is not', async () => {
    const { one, roll } = await rolledBackLate()
    await roll()
    const { rows } = await platform().raw(
      `select a.pipeline_run_id as "runId" from artifacts a
         join pipeline_runs r on r.id = a.pipeline_run_id
       where r.pipeline_id = ? and (${inUse('a')})`,
      [world.pipelineId],
    )
    expect(rows).toEqual([{ runId: one.run.id }])
  })

  test('403: authors of the next run are those of all that the release that runs does not have', async () => {
    const { one, two, four, roll } = await rolledBackLate()
    // One that waits meanwhile was built of all of it, too.
    const waiting = await world.built()
    await roll()
    for (const next of [waiting, await world.built()]) {
      for (const { author } of [two, four]) {
        const answer = await author.post(`${next.url}/approve`, {})
        expect([answer.statusCode, answer.json().code]).toEqual([403, 'approver_is_author'])
      }
      expect((await one.author.get(next.url)).json().run).toMatchObject({ mayApprove: true })
    }
  })

  test('whether a run of the workspace deploys is asked of the latest deployment', async () => {
    const { four, roll } = await rolledBackLate()
    await platform()('deployments')
      .where({ pipelineRunId: four.run.id })
      .update({ via: 'workspace' })
    const isByWorkspace = async () =>
      harness.deps.store.tenant(world.org.id, async (tenant) =>
        deployments(tenant).isByWorkspace(world.pipelineId),
      )
    expect(await isByWorkspace()).toBe(true)
    await roll()
    expect(await isByWorkspace()).toBe(false)
  })

  test('of a promotion, who changed the build since the build that the rollback brought', async () => {
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    const { store } = harness.deps
    const builders = await applicationPipeline(harness.deps, world.org.id)
    const begun = async (pipelineId: number, artifactRunId?: number) => {
      const made = await applicationRun(harness.deps, world.org.id, {
        pipelineId,
        origin: 'push',
        authorUserId: null,
        ...(artifactRunId !== undefined && { artifactRunId }),
      })
      return made.id
    }
    const builtAt = async (minutes: number) => {
      const id = await begun(builders)
      await platform()('application_runs')
        .where({ pipelineRunId: id })
        .update({ phase: 'building', commitSha: 'c'.repeat(40), manifestSha256: 'd'.repeat(64) })
      const digest = `sha256:${String(id).padStart(64, '0')}` as const
      await keepArtifact(harness.deps, world.org.id, { runId: id, digest, sign: false })
      await platform()('stages')
        .where({ pipelineRunId: id, name: 'build' })
        .update({ startedAt: at(minutes) })
      return id
    }
    const promoted = async (artifactRunId: number, minutes: number) =>
      platform()('deployments').insert({
        organizationId: world.org.id,
        pipelineId: world.pipelineId,
        workspaceId: world.workspaceId,
        pipelineRunId: await begun(world.pipelineId, artifactRunId),
        artifactRunId,
        strategy: '{}',
        agentsUntil: new Date(),
        outcome: 'succeeded',
        startedAt: at(minutes),
        endedAt: at(minutes),
      })
    const [old, removed, next] = [await builtAt(-90), await builtAt(-70), await builtAt(-50)]
    await promoted(old, -10)
    await promoted(removed, -20)
    await platform()('pipeline_authorship').insert({
      organizationId: world.org.id,
      pipelineId: builders,
      userId: second.id,
      what: 'path',
      part: 'build',
      at: at(-80),
    })
    const id = await begun(world.pipelineId, next)
    await store.tenant(world.org.id, async (tenant) =>
      sourceOfRun(tenant, id).addAuthorsOfBuild(next),
    )
    const [row] = await platform()('application_runs').where({ pipelineRunId: id })
    expect(row.authorUserIds).toEqual([second.id])
  })
})
