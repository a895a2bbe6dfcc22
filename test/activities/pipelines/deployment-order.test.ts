import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failApplicationRun } from '../../../activities/pipelines/fail-application-run.ts'
import { advanceRelease } from '../../../app/deployments/advance-release.ts'
import { supersedeOlder } from '../../../app/runs/supersede-runs.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  sha256,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { releaseHooks } from '../../../store/runs/release-hooks.ts'
import { runAt } from '../../harness/git/application-of.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('which run of a pipeline deploys, and to which hosts', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  /** What `health.probe` asks, and what it is answered. */
  const probed = { port: 0, status: 200, asked: 0 }
  const site = createServer((_, response) => {
    probed.asked += 1
    response.writeHead(probed.status).end()
  })
  beforeAll(async () => {
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    // A TCP server has an address of this form.
    probed.port = (site.address() as AddressInfo).port
    harness = await createHarness({ env: { CC_PRIVATE_HOSTS: `probe=127.0.0.1:${probed.port}` } })
    activities = deployActivities(harness)
  })
  afterAll(async () => {
    await harness.close()
    site.close()
  })
  beforeEach(async () => {
    world = await deployWorld(harness)
  })

  const three = async () => {
    for (const name of ['a', 'b', 'c']) await world.hosts.add(name)
  }
  const rolling = 'strategy: slow\nstrategies: { slow: { kind: rolling, batch: 1 } }'

  test('without an agent it waits for one, says who can act, and takes the first', async () => {
    const run = await world.built({ deploy: 'agents: { labels: { role: web } }' })
    await world.hosts.add('other', { labels: { role: 'db' } })
    await world.owner.post('/api/org/users', { email: 'never@x.example', name: 'N', role: 'Owner' })
    await activities.open(run.id)
    expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
    expect(await run.shown()).toMatchObject({
      blockedBy: { kind: 'agent', whoCanAct: expect.arrayContaining([world.owner.email]) },
    })
    expect(JSON.stringify(await run.shown())).not.toContain('never@')
    await world.hosts.add('web', { labels: { role: 'web', zone: 'a' } })
    expect(await activities.deploy(run, world.hosts)).toEqual(['web deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })

  test('a target that became production before the first host begins: nothing is sent unapproved', async () => {
    const run = await world.built()
    await activities.open(run.id)
    expect(await activities.advance(run.id)).toMatchObject({ next: 'wait' })
    await harness.deps.store
      .platform('workspaces')
      .where({ id: world.workspaceId })
      .update({ criticality: 'production' })
    await world.hosts.add('late')
    expect(await activities.deploy(run, world.hosts)).toEqual([])
    expect(await run.shown()).toMatchObject({ state: 'canceled', reason: 'canceled_by_user' })
    expect((await run.lines('deploy')).join()).toContain('nobody approved this release')
    // With an approval it goes on as before.
    const next = await world.built()
    const second = await world.org.user('Deployer')
    expect((await second.post(`${next.url}/approve`, {})).statusCode).toBe(200)
    expect(await activities.deploy(next, world.hosts)).toEqual(['late deploy'])
    expect(await next.shown()).toMatchObject({ state: 'succeeded' })
  })

  test('without an agent in time it fails; the artifact stays', async () => {
    const run = await world.built()
    await activities.open(run.id)
    await harness.deps.store
      .platform('deployments')
      .where({ pipelineRunId: run.id })
      .update({ agentsUntil: new Date(Date.now() - 1_000) })
    await activities.deploy(run, world.hosts)
    expect(await run.shown()).toMatchObject({ state: 'failed', reason: 'deploy_errored' })
  })

  test('one run of a pipeline deploys at a time; what a newer one deployed, an older one does not undo', async () => {
    await three()
    const older = await world.built()
    const newer = await world.built()
    await activities.open(newer.id)
    expect(await activities.open(older.id)).toEqual({ timeoutMs: 30_000 })
    expect(await older.shown()).toMatchObject({ blockedBy: { kind: 'turn' } })
    await activities.deploy(newer, world.hosts)
    expect(await newer.shown()).toMatchObject({ state: 'succeeded' })
    expect(await older.shown()).toMatchObject({ state: 'canceled', reason: 'superseded' })
  })

  test('the next batch begins in the millisecond in which the one before it ended', async () => {
    await three()
    const run = await world.built({ deploy: rolling })
    await activities.open(run.id)
    await activities.advance(run.id)
    expect(await world.hosts.answer()).toEqual(['a deploy'])
    // The database says microseconds, and the clock of the service milliseconds.
    await harness.deps.store
      .platform('deployment_hosts')
      .where({ pipelineRunId: run.id, state: 'healthy' })
      .update({ endedAt: '2026-11-27T08:00:00.123900Z' })
    const then = Date.parse('2026-11-27T08:00:00.123Z')
    await harness.deps.store.tenant(world.org.id, async (tenant) =>
      advanceRelease(tenant, run.id, then),
    )
    expect(await world.hosts.wanted()).toMatchObject([{ name: 'b', wanted: 'deploy' }])
  })

  test('two workers that open at once: one deployment', async () => {
    await three()
    const runs = [await world.built(), await world.built()]
    await Promise.all(runs.flatMap(({ id }) => [activities.open(id), activities.open(id)]))
    const { rows } = await harness.deps.store.platform.raw(
      `select phase from application_runs where pipeline_id = ? order by 1`,
      [world.pipelineId],
    )
    expect(rows).toEqual([{ phase: 'deploy_queued' }, { phase: 'deploying' }])
  })

  test('a live deployment goes back by itself once the rollback that stopped it is canceled', async () => {
    await three()
    const old = await world.built()
    await activities.deploy(old, world.hosts)
    const bad = await world.built({ deploy: rolling })
    await activities.open(bad.id)
    await activities.advance(bad.id)
    await world.hosts.answer()
    const { run } = (await world.owner.post(`${old.url}/rollback`, {})).json()
    const back = runAt(world.owner, world.pipelineId, run.id)
    expect((await world.owner.post(`${back.url}/cancel`, {})).statusCode).toBe(200)
    expect(await back.shown()).toMatchObject({ state: 'canceled' })
    expect(await activities.deploy(bad, world.hosts)).toEqual(['a rollback'])
    expect(await bad.shown()).toMatchObject({
      state: 'failed',
      reason: 'canceled_by_user',
      deployment: { rolledBackTo: old.id },
    })
  })

  test('a push that waits is superseded by a newer one, a deployment under way is not', async () => {
    await three()
    const under = await world.built({ origin: 'push' })
    await activities.open(under.id)
    const newer = await world.built({ origin: 'push' })
    await harness.deps.store.tenant(world.org.id, async (tenant) =>
      supersedeOlder(tenant, { pipelineId: world.pipelineId, runId: newer.id }),
    )
    expect(await under.shown()).toMatchObject({ state: 'running' })
  })

  test('a strategy that is not there ends a run before it deploys, with the names that are', async () => {
    await harness.deps.store
      .platform('pipelines')
      .where({ id: world.pipelineId })
      .update({ strategy: 'Sometimes' })
    const run = await world.built({ deploy: rolling })
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'source_errored',
      endMessage:
        'There is no strategy "Sometimes". The manifest and this version have: slow, rolling, canary, blue-green, all-at-once.',
    })
  })

  test('a run that ends from outside lets go of its hosts, and of its pipeline', async () => {
    await three()
    const run = await world.built({ deploy: rolling })
    const next = await world.built({ deploy: rolling })
    await activities.open(run.id)
    await activities.advance(run.id)
    await new MockActivityEnvironment({ attempt: 1 }).run(failApplicationRun(harness.deps), {
      runId: run.id,
      reason: 'deploy_errored' as const,
    })
    expect(await world.hosts.wanted()).toEqual([])
    expect(await world.hosts.states(run.id)).toMatchObject({ a: 'failed' })
    await activities.deploy(next, world.hosts)
    expect(await next.shown()).toMatchObject({ state: 'succeeded' })
  })

  test('health.probe is asked between batches; three bad answers bring all hosts back', async () => {
    await three()
    const deploy = `${rolling}\nhealth: { probe: { url: "http://127.0.0.1:${probed.port}/up?k=1", every: 1s } }`
    const good = await world.built({ deploy })
    await activities.deploy(good, world.hosts)
    expect(await good.shown()).toMatchObject({ state: 'succeeded' })
    expect(probed.asked).toBe(3)

    probed.status = 503
    const bad = await world.built({ deploy })
    const told = await activities.deploy(bad, world.hosts)
    expect(told).toEqual(['a deploy'])
    for (const [failures, next] of [
      [2, 'wait'],
      [3, 'wait'],
    ] as const) {
      await harness.deps.store
        .platform('deployments')
        .where({ pipelineRunId: bad.id })
        .update({ probeAskedAt: new Date(Date.now() - 2_000) })
      // The host's result is older than the question before.
      await harness.deps.store
        .platform('deployment_hosts')
        .where({ pipelineRunId: bad.id })
        .whereNotNull('endedAt')
        .update({ endedAt: new Date(Date.now() - 10_000) })
      expect(await activities.advance(bad.id)).toMatchObject({ next })
      const [row] = await harness.deps.store
        .platform('deployments')
        .where({ pipelineRunId: bad.id })
        .select('probeFailures')
      expect(row).toEqual({ probeFailures: failures })
    }
    expect(await activities.deploy(bad, world.hosts)).toEqual(['a rollback'])
    expect(await bad.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      endMessage: expect.stringContaining('three times in a row'),
      deployment: { rolledBackTo: good.id },
    })
    const said = (await bad.lines('deploy')).join()
    expect(said).toContain(`http://127.0.0.1:${probed.port}/up did not answer 200: 3 of 3`)
    expect(said).not.toContain('k=1')
  })

  test('what blue-green has replaced within keepOld stays on hosts beside what keep says', async () => {
    await three()
    const deploy = 'keep: 2\nstrategy: bg\nstrategies: { bg: { kind: blue-green, keepOld: 1h } }'
    const keepOf = async (id: number) =>
      (await harness.deps.store.platform('deployments').where({ pipelineRunId: id }).first('keep'))
        .keep
    const kept: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const run = await world.built({ deploy })
      await activities.deploy(run, world.hosts)
      kept.push(await keepOf(run.id))
    }
    expect(kept).toEqual([2, 3, 4])
    await harness.deps.store
      .platform('deployments')
      .where({ pipelineId: world.pipelineId })
      .update({ endedAt: new Date(Date.now() - 2 * 3_600_000) })
    const later = await world.built({ deploy })
    await activities.open(later.id)
    expect(await keepOf(later.id)).toBe(2)
  })

  test('what a release changes in its manifest and hooks, against the one that runs', async () => {
    await three()
    const noted = async (run: { id: number }, text: string) =>
      harness.deps.store.tenant(world.org.id, async (tenant) =>
        releaseHooks(tenant).add(run.id, [
          { name: 'activate', path: 'hooks/activate', sha256: sha256(text), text },
        ]),
      )
    const old = await world.built({ deploy: 'keep: 3' })
    await noted(old, 'echo one\n')
    const changes = async (run: { url: string }) =>
      (await world.owner.get(`${run.url}/changes`)).json()
    expect(await changes(old)).toMatchObject({
      from: null,
      manifest: { change: 'added' },
      hooks: [{ name: 'activate', change: 'added' }],
    })
    await activities.deploy(old, world.hosts)
    const next = await world.built({ deploy: 'keep: 4' })
    await noted(next, 'echo two\n')
    const expected = {
      from: { runId: old.id },
      manifest: { change: 'changed', diff: expect.stringContaining('-  keep: 3\n+  keep: 4') },
      hooks: [{ change: 'changed', diff: expect.stringContaining('-echo one\n+echo two') }],
    }
    expect(await changes(next)).toMatchObject(expected)
    await activities.deploy(next, world.hosts)
    // The answer stays what its approver saw.
    expect(await changes(next)).toMatchObject(expected)
    const unnoted = await world.built()
    expect((await changes(unnoted)).hooks).toMatchObject([{ change: 'unknown' }])
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.get(`${next.url}/changes`)).statusCode).toBe(404)
  })
})
