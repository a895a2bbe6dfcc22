import { afterAll, beforeAll, expect, test } from 'vitest'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import { approvalWorld } from './approval-world.ts'

let harness: Harness
beforeAll(async () => {
  // Only the requests use PostgreSQL, because mails are not sent.
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

test('a page of 20 live runs takes as many statements as a page of 3', async () => {
  const org = await harness.organization()
  const author = await org.user('Owner')
  await org.user('Deployer')
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const ids: number[] = []
  for (let n = 0; n < 20; n += 1) ids.push((await startRun(author, workspace)).id)
  // The first run waits for its approval. Every second of the others waits for a plan approval.
  await harness.deps.store.platform.raw(
    `update workspace_runs set phase = case when id = :first then 'awaiting_approval'
       when id % 2 = 0 then 'awaiting_plan_approval' else 'queued' end where id = any(:ids)`,
    { first: ids[0] ?? 0, ids },
  )

  const page = async (limit: number) => {
    const url = `/api/pipelines/${workspace.pipelineId}/runs?limit=${limit}`
    const { answer, statements } = await countStatements(async () => author.get(url))
    expect(answer.statusCode, answer.body).toBe(200)
    return { runs: answer.json().runs, count: statements.length }
  }
  const [few, all] = [await page(3), await page(20)]
  const reasons = all.runs.map(({ blockedBy }: { blockedBy: { kind: string } }) => blockedBy.kind)
  expect(new Set(reasons)).toEqual(new Set(['approval', 'turn']))
  expect(few.count).toBe(all.count)
  expect(all.count).toBeLessThanOrEqual(11)
})

/**
 * The statements of one request, including `begin`, the tenant setting, `commit` and the check of
 * the credential.
 */
async function sentBy(ask: () => Promise<{ statusCode: number; body: string }>) {
  const { answer, statements, trips } = await countStatements(ask)
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return { statements: statements.length, trips }
}

test.each([
  ['approve', 13, 8],
  ['reject', 17, 12],
])('a run that waits: %s is at most %i statements in %i trips', async (action, most, trips) => {
  const org = await harness.organization()
  const [author, second] = [await org.user('Owner'), await org.user('Deployer')]
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const run = await approvalWorld(harness).waitingRun(org, author, workspace)
  const url = run.approveUrl.replace(/approve$/, action)
  const sent = await sentBy(async () => second.post(url, {}))
  expect(sent.statements).toBeLessThanOrEqual(most)
  expect(sent.trips).toBeLessThanOrEqual(trips)
})

test('a start is at most 20 statements', async () => {
  const org = await harness.organization()
  const author = await org.user('Owner')
  const workspace = await org.workspace({ by: author })
  const sent = await sentBy(async () => author.post(`/api/pipelines/${workspace.pipelineId}/run`))
  expect(sent.statements).toBeLessThanOrEqual(20)
})
