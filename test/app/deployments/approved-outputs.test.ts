import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lockInfo, stateClient, stateOf } from '../../api/workspaces/state-client.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('the outputs that hooks of an approved release are given', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  let second: TestUser
  let serial = 0
  const platform = () => harness.deps.store.platform
  const deploy = 'outputs: [lb-dns]'
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
  })
  afterAll(async () => harness?.close())
  beforeEach(async () => worldOf('production'))

  const worldOf = async (criticality: 'standard' | 'production') => {
    world = await deployWorld(harness, { criticality })
    second = await world.org.user('Deployer')
    await world.hosts.add('a')
    await stateWith('lb.one')
  }
  const stateWith = async (address: string, more: object = {}) => {
    const url = `/api/workspaces/${world.workspaceId}`
    const client = stateClient(harness.app, { url }, await world.owner.token())
    const info = lockInfo()
    expect((await client.lock(info)).statusCode).toBe(200)
    const outputs = { 'lb-dns': { value: address, type: 'string' }, ...more }
    serial += 1
    const written = await client.write(stateOf(serial, { outputs }), info.ID)
    expect(written.statusCode, written.body).toBe(200)
    await client.unlock(info)
  }
  const approve = async (run: ApplicationRunOfTest) => {
    const answer = await second.post(`${run.url}/approve`, {})
    expect(answer.statusCode, answer.body).toBe(200)
  }
  const outputsOf = async ({ id }: { id: number }) =>
    (await platform()('deployments').where({ pipelineRunId: id }).first('outputs'))?.outputs
  const waits = async (run: ApplicationRunOfTest) => {
    await activities.open(run.id)
    expect(await outputsOf(run)).toBeUndefined()
    expect(await run.shown()).toMatchObject({ awaitingApproval: true })
    const standing = platform()('approvals').where({ pipelineRunId: run.id }).whereNull('voidedAt')
    expect(await standing).toEqual([])
  }
  const isDeployed = async (run: ApplicationRunOfTest, address: string) => {
    expect(await activities.deploy(run, world.hosts)).toEqual(['a deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    expect(await outputsOf(run)).toEqual({ CC_OUT_LB_DNS: address })
  }

  test('changed after the approval, the run waits for another one', async () => {
    const run = await world.built({ deploy })
    await approve(run)
    await stateWith('lb.mallory')
    await waits(run)
    const voided = await platform()('approvals').where({ pipelineRunId: run.id })
    expect(voided.map(({ voidReason }) => voidReason)).toEqual([
      'outputs: those of the target are others than at the approval',
    ])
    await approve(run)
    await isDeployed(run, 'lb.mallory')
  })

  test('a newer state with the same values of them changes nothing', async () => {
    const run = await world.built({ deploy })
    await approve(run)
    await stateWith('lb.one', { other: { value: 'new', type: 'string' } })
    await isDeployed(run, 'lb.one')
  })

  test('a release that names none is deployed whatever the state is', async () => {
    const run = await world.built()
    await approve(run)
    await stateWith('lb.two')
    expect(await activities.deploy(run, world.hosts)).toEqual(['a deploy'])
  })

  test('an approval from before states were noted is given again', async () => {
    const run = await world.built({ deploy })
    await approve(run)
    await platform()('approvals').where({ pipelineRunId: run.id }).update({ stateVersionId: null })
    await waits(run)
  })

  test('on a standard workspace they are those of now', async () => {
    await worldOf('standard')
    const run = await world.built({ deploy })
    await stateWith('lb.two')
    await isDeployed(run, 'lb.two')
  })

  test('once: an earlier approval holds for a rollback while they are as they were', async () => {
    await platform()('pipelines')
      .where({ id: world.pipelineId })
      .update({ rollbackApproval: 'once' })
    const back = async () => {
      const { run } = (await world.owner.post(`${old.url}/rollback`, {})).json()
      return runAt(world.owner, world.pipelineId, run.id)
    }
    const old = await world.built({ deploy, artifact: 'old' })
    await approve(old)
    await isDeployed(old, 'lb.one')
    const same = await back()
    expect(await same.shown()).toMatchObject({ awaitingApproval: false })
    await isDeployed(same, 'lb.one')
    await stateWith('lb.two')
    const other = await back()
    await waits(other)
    await approve(other)
    await isDeployed(other, 'lb.two')
    await isDeployed(await back(), 'lb.two')
  })
})
