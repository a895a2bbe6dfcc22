import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../harness/second-app.ts'
import type { TestWorkspace } from '../harness/test-organization.ts'
import { expectNothingHeld, isTerminalRow, rowUntil } from '../faults/run-rows.ts'

let harness: Harness
let other: SecondApp
beforeAll(async () => {
  harness = await createHarness({ worker: true })
  other = await createSecondApp(harness)
})
afterAll(async () => {
  await other.close()
  await harness.close()
})

test('ten starts of one pipeline at once through two processes: numbers 1 to 10, run one after the other', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const [crowded, quiet] = [await org.workspace({ by: owner }), await org.workspace({ by: owner })]
  const start = async (turn: number, { pipelineId }: TestWorkspace) => {
    const url = `/api/pipelines/${pipelineId}/run`
    const answer = await (turn % 2 === 0
      ? owner.post(url, {})
      : other.call(owner, 'POST', { url, body: {} }))
    // The contract names no status, so any success is accepted.
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json().run as { id: number; number: number }
  }
  const turns = Array.from({ length: 10 }, (_, turn) => turn)
  const [runs, alone] = await Promise.all([
    Promise.all(turns.map(async (turn) => start(turn, crowded))),
    start(0, quiet),
  ])
  const numbers = runs.map(({ number }) => number).toSorted((a, b) => a - b)
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(new Set(runs.map(({ id }) => id)).size).toBe(10)
  expect(alone.number).toBe(1)

  const settled = await Promise.all(
    [...runs, alone].map(async ({ id }) => rowUntil(harness, id, { when: isTerminalRow })),
  )
  for (const row of settled) {
    expect(row, String(row.message)).toMatchObject({ phase: 'succeeded', quarantined: 0 })
    expectNothingHeld(row)
  }
  // The first run applies, and the later runs find no changes. Other workspaces have no runs.
  const ofCrowded = settled.slice(0, 10)
  expect(ofCrowded.filter(({ reason }) => reason === 'no_changes')).toHaveLength(9)
  expect(ofCrowded.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(1)
  expect(settled.at(-1)).toMatchObject({ reason: null, attempts: 1, finalized: 1 })

  const ended = ofCrowded.map(({ endedAt }) => endedAt?.getTime() ?? 0)
  expect(settled.at(-1)?.endedAt?.getTime()).toBeLessThan(Math.max(...ended))
  const { rows: turnsTaken } = await harness.deps.store.platform.raw(
    `select started_at, lead(started_at) over (order by started_at) >= ended_at as alone
       from workspace_runs where workspace_id = ?`,
    [crowded.id],
  )
  // Each run starts when the one before it has ended.
  expect(turnsTaken.filter(({ alone }: { alone: boolean | null }) => alone === false)).toEqual([])
}, 180_000)

test('plan-only runs of a workspace do not block its queue and do not wait in it', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner, criticality: 'production' })
  const plans = await Promise.all(
    [0, 1, 2].map(async (turn) => {
      const url = `${workspace.url}/plan`
      const answer = await (turn % 2 === 0
        ? owner.post(url, {})
        : other.call(owner, 'POST', { url, body: {} }))
      expect(answer.statusCode, answer.body).toBe(201)
      return answer.json().run as { id: number }
    }),
  )
  for (const { id } of plans)
    expect(await rowUntil(harness, id, { when: isTerminalRow })).toMatchObject({
      phase: 'succeeded',
      attempts: 0,
      finalized: 0,
    })
})
