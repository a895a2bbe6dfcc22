import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import { runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('a rollback that ends after it has stopped a deployment', () => {
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
    await world.hosts.add('b')
  })
  const deployed = async (artifact: string) => {
    const run = await world.built({ artifact })
    await activities.deploy(run, world.hosts)
    return run
  }
  const back = async (to: ApplicationRunOfTest, body: object = {}, by = world.owner) => {
    const answer = await by.post(`${to.url}/rollback`, body)
    expect(answer.statusCode, answer.body).toBe(201)
    return runAt(by, world.pipelineId, answer.json().run.id)
  }
  /** One of two hosts has the release of a deployment that a rollback stopped, and that has ended. */
  const stopped = async () => {
    const old = await deployed('old')
    const deploy = 'strategy: s\nstrategies: { s: { kind: rolling, batch: 1 } }'
    const bad = await world.built({ artifact: 'bad', deploy })
    await activities.open(bad.id)
    await activities.advance(bad.id)
    await world.hosts.answer()
    const run = await back(old)
    await activities.deploy(bad, world.hosts)
    expect(await bad.shown()).toMatchObject({ reason: 'superseded', warnings: ['no_sbom'] })
    return { old, bad, run }
  }

  test('canceled after it has stopped another: the hosts that are left are named, also in the audit', async () => {
    const { old, bad, run } = await stopped()
    expect((await world.owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    const shown = await run.shown()
    expect(shown).toMatchObject({ state: 'canceled', reason: 'canceled_by_user' })
    expect(shown.warnings).toContain('mixed_releases')
    expect(shown.endMessage).toContain(`two releases: a has that of run id ${bad.id}`)
    expect(await bad.shown()).toMatchObject({ warnings: ['no_sbom', 'mixed_releases'] })
    const { entries } = (await world.owner.get('/api/audit?event=pipeline.run_canceled')).json()
    expect(entries[0]).toMatchObject({ detail: { mixed: ['a'], mixedOf: bad.id } })
    // The next rollback mends it, and another one that is canceled then has nothing to say.
    await activities.deploy(await back(old), world.hosts)
    const late = await back(bad)
    await world.owner.post(`${late.url}/cancel`, {})
    expect((await late.shown()).warnings).not.toContain('mixed_releases')
  })

  test('canceled where another rollback follows, or while the other deployment can still go back: no warning', async () => {
    const { old, run } = await stopped()
    const next = await back(old)
    expect(await run.shown()).toMatchObject({ state: 'canceled', reason: 'superseded' })
    expect((await run.shown()).warnings).not.toContain('mixed_releases')
    await activities.deploy(next, world.hosts)
    const deploy = 'strategy: s\nstrategies: { s: { kind: rolling, batch: 1 } }'
    const bad = await world.built({ artifact: 'worse', deploy })
    await activities.open(bad.id)
    await activities.advance(bad.id)
    await world.hosts.answer()
    const soon = await back(old)
    await world.owner.post(`${soon.url}/cancel`, {})
    expect((await soon.shown()).warnings).not.toContain('mixed_releases')
    expect(await activities.deploy(bad, world.hosts)).toEqual(['a rollback'])
  })
})
