import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
        message: expect.stringContaining('is not what was built'),
        artifact: { signed: false },
      })
      expect(await refusals(run.id)).toEqual(['denied: what is stored is not what was built'])
      // Untouched, it is signed.
      await activities.sign(other.id)
      expect(await other.shown()).toMatchObject({ artifact: { signed: true } })
    },
  )
})
