import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publicKeysOf } from '../../../app/signing/published-keys.ts'
import { readOrder } from '../../../domain/signing/order.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'

// No worker: the test calls the activities, and writes into the store as who has taken it over.
describe('what is signed of a release', () => {
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
    for (const name of ['a', 'b', 'c']) await world.hosts.add(name)
  }
  const good = async () => {
    const run = await world.built({ artifact: 'old' })
    await activities.deploy(run, world.hosts)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
    return run
  }
  const refusals = async (id: number) => {
    const rows = harness.deps.store
      .platform('audit_entries')
      .where({ event: 'pipeline.release_refused', targetId: String(id) })
    return (await rows.select('outcome', 'detail')).map(
      ({ outcome, detail }: { outcome: string; detail: { because: string } }) =>
        `${outcome}: ${detail.because}`,
    )
  }

  test.each(['digest', 'contentDigest', 'sizeBytes', 'commitSha', 'manifest', 'built'])(
    'what was built is not signed where its %s was changed in the store',
    async (what) => {
      const other = await world.built({ artifact: `other ${what}`, sign: false })
      const run = await world.built({ artifact: what, sign: false })
      const { platform } = harness.deps.store
      const row = (table: string) => platform(table).where({ pipelineRunId: run.id })
      const otherRow = await platform('artifacts').where({ pipelineRunId: other.id }).first()
      const changes: Record<string, () => Promise<unknown>> = {
        digest: async () => row('artifacts').update({ digest: otherRow.digest }),
        contentDigest: async () => row('artifacts').update({ contentDigest: otherRow.digest }),
        sizeBytes: async () => row('artifacts').update({ sizeBytes: 11 }),
        commitSha: async () => row('application_runs').update({ commitSha: 'f'.repeat(40) }),
        manifest: async () => row('application_runs').update({ manifestSha256: 'f'.repeat(64) }),
        // Of another run: sealed too, and consistent with its row.
        built: async () =>
          row('artifacts').update({
            digest: otherRow.digest,
            contentDigest: otherRow.digest,
            built: otherRow.built,
          }),
      }
      await changes[what]?.()
      await activities.sign(run.id)
      await activities.sign(run.id)
      expect(await run.shown()).toMatchObject({
        state: 'failed',
        reason: 'build_errored',
        endMessage: expect.stringContaining('is not what was built'),
        artifact: { signed: false },
      })
      expect(await refusals(run.id)).toEqual(['denied: what is stored is not what was built'])
      // Untouched, it is signed.
      await activities.sign(other.id)
      expect(await other.shown()).toMatchObject({ artifact: { signed: true } })
    },
  )

  test.each(['manifest', 'provenance', 'contentDigest'])(
    'a release is not deployed where its %s was changed after its signature',
    async (what) => {
      await three()
      const other = await world.built({ artifact: `after ${what}` })
      const hooks = 'hooks: { activate: hooks/activate }'
      const run = await world.built({ deploy: hooks, artifact: what })
      const { platform } = harness.deps.store
      const row = (table: string) => platform(table).where({ pipelineRunId: run.id })
      if (what === 'manifest') {
        const { manifest } = await row('application_runs').first('manifest')
        const forged = manifest.replace('hooks/activate', 'bin/anything')
        await row('application_runs').update({ manifest: forged })
      } else if (what === 'provenance') {
        const { provenance } = await platform('artifacts')
          .where({ pipelineRunId: other.id })
          .first('provenance')
        await row('artifacts').update({ provenance: JSON.stringify(provenance) })
      } else await row('artifacts').update({ contentDigest: `sha256:${'e'.repeat(64)}` })
      expect(await activities.deploy(run, world.hosts)).toEqual([])
      expect(await run.shown()).toMatchObject({
        state: 'failed',
        reason: 'deploy_errored',
        endMessage: expect.stringContaining('is not what was signed after its build'),
        deployment: null,
      })
      expect(await refusals(run.id)).toEqual([expect.stringMatching(/^denied: the provenance is/)])
    },
  )

  test('what hosts are to run is signed once, when the deployment begins', async () => {
    await three()
    await world.owner.post(`/api/pipelines/${world.pipelineId}/variables`, {
      key: 'PASSWORD',
      value: 'the-password',
      phase: 'deploy',
      sensitive: true,
    })
    const deploy = 'hooks: { activate: { path: hooks/activate, timeout: 30s } }\nkeep: 5'
    const old = await good()
    const run = await world.built({ deploy })
    const { platform } = harness.deps.store
    // As of a deployment that began before there were orders.
    await platform('deployments').where({ pipelineRunId: old.id }).update({ signedOrder: null })
    await activities.open(run.id)
    const keys = await harness.deps.store.tenant(world.org.id, async (tenant) =>
      publicKeysOf(harness.deps, tenant),
    )
    const orderOf = async (id: number) => {
      const [row] = await platform('deployments').where({ pipelineRunId: id })
      return { text: JSON.stringify(row.signedOrder), order: readOrder(row.signedOrder, keys) }
    }
    const { text, order } = await orderOf(run.id)
    expect(order).toMatchObject({
      runId: run.id,
      workspaceId: world.workspaceId,
      strategy: 'rolling',
      hooks: { activate: { path: 'hooks/activate', timeoutSeconds: 30, repeatable: false } },
      keep: 5,
      variables: ['PASSWORD'],
      env: expect.arrayContaining([{ key: 'CC_RUN_ID', value: String(run.id) }]),
    })
    expect(JSON.stringify(order)).not.toContain('the-password')
    expect((await orderOf(old.id)).order).toMatchObject({ runId: old.id, keep: 3 })
    await activities.open(run.id)
    expect((await orderOf(run.id)).text).toBe(text)
  })

  test('an approval of a step is of that step alone, however often and however late it is sent', async () => {
    await three()
    const deploy =
      'strategy: c\nstrategies: { c: { kind: canary, steps: [30, 60, 100], confirm: each } }'
    const run = await world.built({ deploy })
    await activities.deploy(run, world.hosts)
    const { run: shown } = (await world.owner.get(run.url)).json()
    const { planDigest } = shown
    expect(shown).toMatchObject({ deployment: { confirm: 1 } })
    const say = async (act: 'approve' | 'reject', body: object) => {
      const answer = await world.owner.post(`${run.url}/${act}`, body)
      return [answer.statusCode, answer.json().code ?? 'ok']
    }
    expect(await say('approve', { step: 2, planDigest })).toEqual([409, 'step_changed'])
    expect(await say('approve', { step: 0 })).toEqual([409, 'step_changed'])
    expect(await say('reject', { step: 2 })).toEqual([409, 'step_changed'])
    const other = `sha256:${'0'.repeat(64)}`
    expect(await say('approve', { step: 1, planDigest: other })).toEqual([409, 'plan_changed'])
    expect(await say('approve', { step: 1, planDigest })).toEqual([200, 'ok'])
    expect(await activities.deploy(run, world.hosts)).toEqual(['b deploy'])
    expect(await run.shown()).toMatchObject({ deployment: { confirm: 2 } })
    // The second click of the same person is answered, another person's late one is refused.
    expect(await say('approve', { step: 1, planDigest })).toEqual([200, 'ok'])
    const second = await world.org.user('Deployer')
    const late = await second.post(`${run.url}/approve`, { step: 1, planDigest })
    expect(late.json()).toMatchObject({
      code: 'step_changed',
      error: expect.stringContaining('is step 2'),
    })
    expect(await say('reject', { step: 1 })).toEqual([409, 'step_changed'])
    expect(await activities.deploy(run, world.hosts)).toEqual([])
    expect(await run.shown()).toMatchObject({ deployment: { confirm: 2 } })
    expect(await say('approve', { step: 2 })).toEqual([200, 'ok'])
    expect(await activities.deploy(run, world.hosts)).toEqual(['c deploy'])
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })
})
