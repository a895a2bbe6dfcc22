import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'

// Called as Temporal would call them, more than once, with agents that answer through the store.
describe('the deployment of a release', () => {
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
  })

  const three = async () => {
    const ids: number[] = []
    for (const name of ['a', 'b', 'c']) ids.push(await world.hosts.add(name))
    return ids
  }
  const rolling = 'strategy: slow\nstrategies: { slow: { kind: rolling, batch: 1 } }'
  const events = async (id: number): Promise<string[]> => {
    const { rows } = await harness.deps.store.platform.raw(
      `select event from audit_entries where target_kind = 'run' and target_id = ? order by id`,
      [String(id)],
    )
    return rows.map(({ event }: { event: string }) => event)
  }
  /** A release that every host has. */
  const good = async (artifact = 'old') => {
    const run = await world.built({ artifact })
    await activities.deploy(run, world.hosts)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    return run
  }

  test('three hosts, one after the other; each activity twice changes nothing more', async () => {
    await three()
    const run = await world.built({ deploy: rolling })
    expect(await run.shown()).toMatchObject({
      state: 'running',
      planDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      deployment: { strategy: 'rolling', batches: 3, hosts: { total: 3, pending: 3 } },
      stages: [{ state: 'succeeded' }, { state: 'succeeded' }, { name: 'deploy', state: 'queued' }],
    })
    expect(await activities.next(run.id)).toEqual({ next: 'open' })
    await activities.open(run.id)
    await activities.open(run.id)
    for (const name of ['a', 'b', 'c']) {
      expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
      expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
      expect(await world.hosts.answer()).toEqual([`${name} deploy`])
    }
    expect(await activities.advance(run.id)).toEqual({ next: 'end' })
    await activities.end(run.id)
    await activities.end(run.id)
    expect(await activities.advance(run.id)).toEqual({ next: 'over' })
    expect(await activities.next(run.id)).toEqual({ next: 'over' })
    expect(await run.shown()).toMatchObject({
      state: 'succeeded',
      deployment: { batch: 3, batches: 3, hosts: { total: 3, healthy: 3 }, rolledBackTo: null },
      stages: [{ state: 'succeeded' }, { state: 'succeeded' }, { state: 'succeeded' }],
    })
    expect(await events(run.id)).toEqual(['pipeline.deploy_started', 'pipeline.run_succeeded'])
    expect(await run.lines('deploy')).toEqual([
      expect.stringMatching(/^Deploying to 3 hosts of ws-\w+, rolling\.$/),
      'There is no earlier release to go back to.',
      'Batch 1 of 3, deploy: a.',
      'Batch 2 of 3, deploy: b.',
      'Batch 3 of 3, deploy: c.',
      '3 of 3 hosts have the release.',
    ])
    const { hosts } = (await world.owner.get(`${run.url}/hosts?limit=2`)).json()
    expect(hosts).toMatchObject([
      {
        agent: { name: 'a' },
        state: 'healthy',
        batch: 1,
        hooks: [{ name: 'health', exitCode: 0 }],
      },
      { agent: { name: 'b' }, state: 'healthy', batch: 2 },
    ])
  })

  test('a canary that fails after its switch goes back by itself, and other hosts are not touched', async () => {
    await three()
    const old = await good()
    const deploy = 'strategy: c\nstrategies: { c: { kind: canary, steps: [50, 100] } }'
    const run = await world.built({ deploy })
    const told = await activities.deploy(run, world.hosts, ({ name, wanted }) =>
      name === 'b' && wanted === 'deploy' ? 'switched' : 'ok',
    )
    expect(told).toEqual(['a deploy', 'b deploy', 'a rollback', 'b rollback'])
    expect(await world.hosts.states(run.id)).toEqual({
      a: 'rolled_back',
      b: 'rolled_back',
      c: 'pending',
    })
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      deployment: { rolledBackTo: old.id, hosts: { rolledBack: 2, pending: 1 } },
      warnings: ['no_sbom'],
    })
    expect(await events(run.id)).toEqual([
      'pipeline.deploy_started',
      'pipeline.rolled_back',
      'pipeline.run_failed',
    ])
  })

  test('a host that cannot go back is named, and is first in the next run', async () => {
    await three()
    const old = await good()
    const run = await world.built({ deploy: rolling })
    await activities.deploy(run, world.hosts, ({ name, wanted }) =>
      name === 'c' || wanted === 'rollback'
        ? name === 'b' || name === 'c'
          ? 'switched'
          : 'ok'
        : 'ok',
    )
    const shown = await run.shown()
    expect(shown).toMatchObject({
      state: 'failed',
      deployment: { rolledBackTo: old.id },
      warnings: ['no_sbom', 'mixed_releases'],
    })
    expect(shown.endMessage).toContain('b, c')
    const next = await world.built()
    await activities.deploy(next, world.hosts)
    expect(Object.keys(await world.hosts.states(next.id))).toEqual(['b', 'c', 'a'])
  })

  test('without an earlier release hosts stay as they are', async () => {
    await three()
    const run = await world.built({ deploy: rolling })
    await activities.deploy(run, world.hosts, ({ name }) => (name === 'b' ? 'fail' : 'ok'))
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      warnings: ['no_sbom', 'mixed_releases'],
      deployment: { rolledBackTo: null, hosts: { healthy: 1, failed: 1, pending: 1 } },
    })
  })

  test('failures within the budget: the run succeeds and says so', async () => {
    await three()
    const deploy = 'strategy: s\nstrategies: { s: { kind: rolling, batch: 1, maxFailures: 1 } }'
    const run = await world.built({ deploy })
    await activities.deploy(run, world.hosts, ({ name }) => (name === 'b' ? 'fail' : 'ok'))
    expect(await run.shown()).toMatchObject({
      state: 'succeeded',
      warnings: ['no_sbom', 'hosts_failed'],
    })
  })

  test('blue-green: installed on all, confirmed by a person, then switched on all at once', async () => {
    await three()
    const deploy = 'strategy: bg\nstrategies: { bg: { kind: blue-green, confirm: each } }'
    const run = await world.built({ deploy })
    const first = await activities.deploy(run, world.hosts)
    expect(first).toEqual(['a install', 'b install', 'c install'])
    const waiting = await run.shown()
    expect(waiting).toMatchObject({
      awaitingApproval: true,
      approval: { rule: 'confirm' },
      blockedBy: { kind: 'approval' },
      deployment: { confirm: 1 },
      mayApprove: true,
    })
    const answer = await world.owner.post(`${run.url}/approve`, {})
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json().run.approvals).toMatchObject([{ step: 1, decision: 'approved' }])
    // The same again is no second decision.
    expect((await world.owner.post(`${run.url}/approve`, {})).statusCode).toBe(200)
    expect(await activities.deploy(run, world.hosts)).toEqual([
      'a activate',
      'b activate',
      'c activate',
    ])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })

  test('no to a step: the hosts that have it go back', async () => {
    await three()
    await good()
    const deploy =
      'strategy: c\nstrategies: { c: { kind: canary, steps: [30, 100], confirm: first } }'
    const run = await world.built({ deploy })
    await activities.deploy(run, world.hosts)
    expect((await world.owner.post(`${run.url}/reject`, {})).statusCode).toBe(200)
    expect(await activities.deploy(run, world.hosts)).toEqual(['a rollback'])
    expect(await run.shown()).toMatchObject({ state: 'failed', reason: 'rejected' })
  })

  test('canceled while hosts are mixed: what runs is stopped, what was changed goes back', async () => {
    await three()
    const old = await good()
    const run = await world.built({ deploy: rolling })
    await activities.open(run.id)
    await activities.advance(run.id)
    await world.hosts.answer()
    await activities.advance(run.id)
    // b is told, and has not begun.
    expect((await world.owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    expect((await world.owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    expect(await activities.deploy(run, world.hosts)).toEqual(['a rollback'])
    expect(await world.hosts.states(run.id)).toEqual({
      a: 'rolled_back',
      b: 'pending',
      c: 'pending',
    })
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'canceled_by_user',
      deployment: { rolledBackTo: old.id },
    })
    expect(
      (await events(run.id)).filter((event) => event === 'pipeline.cancel_requested'),
    ).toHaveLength(1)
  })

  test('canceled before a host was changed: canceled, and none goes back', async () => {
    await three()
    await good()
    const run = await world.built({ deploy: rolling })
    await activities.open(run.id)
    expect((await world.owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    expect(await activities.deploy(run, world.hosts)).toEqual([])
    expect(await run.shown()).toMatchObject({ state: 'canceled', reason: 'canceled_by_user' })
  })

  test('a host that is lost in its batch counts as failed; what it sends later is refused', async () => {
    const [, b = 0] = await three()
    const old = await good()
    const run = await world.built({ deploy: rolling })
    await activities.open(run.id)
    await activities.advance(run.id)
    await world.hosts.answer()
    await activities.advance(run.id)
    await world.hosts.answer(() => 'silent')
    const fenceOf = async () => {
      const [row] = await harness.deps.store
        .platform('deployment_hosts')
        .where({ pipelineRunId: run.id, agentId: b })
        .select('fence', 'wanted')
      return row
    }
    const before = await fenceOf()
    expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
    await world.hosts.lose(b)
    expect(await activities.deploy(run, world.hosts)).toEqual(['a rollback'])
    expect(await fenceOf()).toEqual({ fence: before.fence + 1, wanted: null })
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      deployment: { rolledBackTo: old.id, hosts: { unreachable: 1, rolledBack: 1 } },
    })
  })

  test('waits for a host with its labels, without checking its manifest again', async () => {
    const run = await world.built({ deploy: 'agents: { labels: { tier: web } }' })
    await activities.open(run.id)
    await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: run.id })
      .update({ manifest: '' })
    await world.hosts.add('other', { labels: { tier: 'db' } })
    expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
    expect(await run.shown()).toMatchObject({ deployment: { hosts: { total: 0 } } })
    await world.hosts.add('asked', { labels: { tier: 'web' } })
    await activities.advance(run.id)
    expect(await run.shown()).toMatchObject({ deployment: { hosts: { total: 1 } } })
  })
})
