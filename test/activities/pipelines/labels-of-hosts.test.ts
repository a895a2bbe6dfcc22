import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('hosts without the labels that a release is for', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
  })
  afterAll(async () => harness?.close())
  beforeEach(async () => {
    world = await deployWorld(harness)
  })

  const forRole = (role: string, more = '') => `agents: { labels: { role: ${role} } }\n${more}`
  const canary =
    'strategy: c\nstrategies: { c: { kind: canary, steps: [50, 100], confirm: first } }'
  const relabel = async (id: number, labels: object) =>
    harness.deps.store
      .platform('agents')
      .where({ id })
      .update({ labels: JSON.stringify(labels), lastSeenAt: new Date() })

  test('a host that waits for its batch and lost the label is lost, and is told nothing', async () => {
    await world.hosts.add('a', { labels: { role: 'db' } })
    const b = await world.hosts.add('b', { labels: { role: 'db' } })
    const run = await world.built({ deploy: forRole('db', canary) })
    expect(await activities.deploy(run, world.hosts)).toEqual(['a deploy'])
    await relabel(b, { role: 'web' })
    expect((await world.owner.post(`${run.url}/approve`, {})).statusCode).toBe(200)
    expect(await activities.deploy(run, world.hosts)).toEqual([])
    expect(await world.hosts.states(run.id)).toEqual({ a: 'healthy', b: 'unreachable' })
    expect(await run.shown()).toMatchObject({ state: 'failed', reason: 'deploy_errored' })
    expect(await run.lines('deploy')).toContain(
      'b does not have the labels of this release any more, and is not given it.',
    )
  })

  test('before a batch began, such a host leaves the first one to the others', async () => {
    await world.hosts.add('a', { labels: { role: 'db' } })
    const b = await world.hosts.add('b', { labels: { role: 'db' } })
    const deploy = forRole('db', canary.replace('confirm', 'maxFailures: 1, confirm'))
    const run = await world.built({ deploy })
    await activities.open(run.id)
    await relabel(b, { role: 'web' })
    expect(await activities.deploy(run, world.hosts)).toEqual(['a deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })

  test('one that comes online with other labels is not the host that was waited for', async () => {
    const late = await world.hosts.add('late', { labels: { role: 'db' }, seenSecondsAgo: 172_800 })
    const run = await world.built({ deploy: forRole('db') })
    await activities.open(run.id)
    await relabel(late, { role: 'web' })
    expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
    expect(await world.hosts.states(run.id)).toEqual({ late: 'unreachable' })
    await relabel(late, { role: 'db' })
    expect(await activities.deploy(run, world.hosts)).toEqual(['late deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })
})
