import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

test('200: a run says how often each of its stages was begun', async () => {
  const org = await harness.organization()
  const author = await org.user('Deployer')
  const workspace = await org.workspace({ by: author })
  const started = await author.post(`${workspace.url}/apply`, {})
  const { id } = started.json().run
  const tries = async () =>
    (await author.get(`${workspace.url}/runs/${id}`)).json().run.tries as unknown
  expect(await tries()).toEqual([])
  const begin = async (runPhase: string, createdAt: Date) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      await db('tokens').insert({
        organizationId,
        kind: 'run',
        name: `run ${id} ${runPhase}`,
        workspaceRunId: id,
        runPhase,
        fence: 1,
        hash: randomBytes(32),
        prefix: 'cc_run_',
        createdAt,
      })
    })
  const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 10, 0, seconds))
  await begin('plan', at(0))
  await begin('plan', at(9))
  await begin('apply', at(20))
  expect(await tries()).toEqual([
    { stage: 'plan', count: 2, lastAt: at(9).toISOString() },
    { stage: 'apply', count: 1, lastAt: at(20).toISOString() },
  ])
})
