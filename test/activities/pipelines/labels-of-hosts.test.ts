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

  describe('that the earlier release is for', () => {
    const batches = 'strategy: s\nstrategies: { s: { kind: rolling, batch: 2 } }'
    /** Deployed to the role web, and then to the zone z, where somebody cancels it after two hosts. */
    const canceled = async (names: Record<string, object>) => {
      await world.hosts.add('web', { labels: { role: 'web' } })
      const old = await world.built({ deploy: forRole('web') })
      expect(await activities.deploy(old, world.hosts)).toContain('web deploy')
      for (const [name, labels] of Object.entries(names)) await world.hosts.add(name, { labels })
      const run = await world.built({ deploy: `agents: { labels: { zone: z } }\n${batches}` })
      await activities.open(run.id)
      await activities.advance(run.id)
      expect(await world.hosts.answer()).toHaveLength(2)
      expect((await world.owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
      return { old, run }
    }
    const both = { role: 'web', zone: 'z' }
    const edge = { role: 'edge', zone: 'z' }

    test('others keep the new release, and are named', async () => {
      const { old, run } = await canceled({ both, edge, more: edge })
      expect(await activities.deploy(run, world.hosts)).toEqual(['both rollback'])
      expect(await world.hosts.states(run.id)).toEqual({
        both: 'rolled_back',
        edge: 'stuck',
        more: 'pending',
      })
      expect(await run.shown()).toMatchObject({
        state: 'failed',
        reason: 'canceled_by_user',
        endMessage: expect.stringMatching(/: edge\.$/),
        deployment: { rolledBackTo: old.id },
        warnings: ['no_sbom', 'mixed_releases'],
      })
      expect(await run.lines('deploy')).toContain(
        'The earlier release is for other hosts than edge.',
      )
    })

    test('where it is for none of them nothing goes back', async () => {
      const { run } = await canceled({ edge, other: edge, more: edge })
      expect(await activities.deploy(run, world.hosts)).toEqual([])
      expect(await run.shown()).toMatchObject({
        state: 'failed',
        deployment: { rolledBackTo: null, hosts: { failed: 2, pending: 1 } },
        warnings: ['no_sbom', 'mixed_releases'],
      })
    })

    test('its manifest says so where it began before labels were stored', async () => {
      const { old, run } = await canceled({ both, edge, more: edge })
      const earlier = harness.deps.store.platform('deployments').where({ pipelineRunId: old.id })
      await earlier.clone().update({ labels: null })
      expect(await activities.deploy(run, world.hosts)).toEqual(['both rollback'])
      expect(await earlier.clone().first('labels')).toEqual({ labels: { role: 'web' } })
    })
  })
})
