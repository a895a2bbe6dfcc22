import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { awaits, runUntil, startRun } from '../harness/runs.ts'
import { createSecondApp, type SecondApp } from '../harness/second-app.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectNothingHeld, isTerminalRow, rowUntil } from '../faults/run-rows.ts'

// Two API processes over one database, and a worker that really applies. Users decide about one
// waiting production run at the same moment.
let harness: Harness
let other: SecondApp
let org: TestOrganization
let author: TestUser
let operators: TestUser[]
beforeAll(async () => {
  harness = await createHarness({ worker: true })
  other = await createSecondApp(harness)
  org = await harness.organization()
  author = await org.user('Owner')
  operators = await Promise.all([1, 2, 3, 4].map(async () => org.user('Deployer')))
})
afterAll(async () => {
  await other.close()
  await harness.close()
})

type Waiting = { workspace: TestWorkspace; id: number; url: string }

const beginWaiting = async (): Promise<Waiting> => {
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const { id } = await startRun(author, workspace)
  const run = await runUntil(author, { workspace, id }, awaits)
  expect(run.awaitingApproval).toBe(true)
  return { workspace, id, url: `/api/pipelines/${workspace.pipelineId}/runs/${id}` }
}
const operator = (turn: number): TestUser => {
  const person = operators[turn % operators.length]
  if (!person) throw new Error('nobody')
  return person
}
/** Sends every second request to the other process. */
const ask = async (turn: number, user: TestUser, url: string): Promise<LightMyRequestResponse> =>
  turn % 2 === 0 ? user.post(url, {}) : other.call(user, 'POST', { url, body: {} })

const ends = async ({ id }: Waiting) => {
  const row = await rowUntil(harness, id, { when: isTerminalRow })
  expectNothingHeld(row)
  return row
}

/** The decisions and ends that the store has for a run. Each may be there once. */
const recordOf = async ({ id }: Waiting) => {
  const { rows } = await harness.deps.store.platform.raw(
    `select
       (select count(*)::int from approvals where workspace_run_id = :id) as decisions,
       (select count(*)::int from approvals where workspace_run_id = :id and decision = 'approved' and voided_at is null) as standing,
       (select count(*)::int from audit_entries where target_kind = 'run' and target_id = :id::text and event = 'pipeline.run_approved') as approved,
       (select count(*)::int from audit_entries where target_kind = 'run' and target_id = :id::text and event in ('pipeline.run_succeeded', 'pipeline.run_failed', 'pipeline.run_canceled')) as ended`,
    { id },
  )
  return rows[0]
}

const rounds = [1, 2, 3, 4]

test('20 approvals at once: one approval and one apply', async () => {
  const run = await beginWaiting()
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, turn) => ask(turn, operator(turn), `${run.url}/approve`)),
  )
  // The first approver may repeat the request and gets 200 until the run is over. All others get
  // 409.
  const well = answers.flatMap(({ statusCode }, turn) => (statusCode === 200 ? [turn % 4] : []))
  expect(new Set(well).size).toBe(1)
  for (const answer of answers)
    if (answer.statusCode !== 200)
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'run_not_waiting'])

  expect(await ends(run)).toMatchObject({ phase: 'succeeded', attempts: 1, finalized: 1 })
  expect(await recordOf(run)).toEqual({ decisions: 1, standing: 1, approved: 1, ended: 1 })
})

describe.each(rounds)('at the same moment, round %i', (round) => {
  test('approve and reject: exactly one is accepted', async () => {
    const run = await beginWaiting()
    const [approved, rejected] = await Promise.all([
      ask(round, operator(0), `${run.url}/approve`),
      ask(round + 1, operator(1), `${run.url}/reject`),
    ])
    const codes = [approved.statusCode, rejected.statusCode]
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, 409])
    const row = await ends(run)
    if (approved.statusCode === 200)
      expect(row).toMatchObject({ phase: 'succeeded', attempts: 1, finalized: 1 })
    else expect(row).toMatchObject({ phase: 'failed', reason: 'rejected', attempts: 0 })
    expect(await recordOf(run)).toMatchObject({ decisions: 1, ended: 1 })
  })

  test('approve and cancel: applied once, or canceled before anything changed', async () => {
    const run = await beginWaiting()
    const [approved, canceled] = await Promise.all([
      ask(round, operator(0), `${run.url}/approve`),
      ask(round + 1, author, `${run.url}/cancel`),
    ])
    const row = await ends(run)
    // A cancel after the approval still ends a run that is not applied yet.
    expect([200, 409]).toContain(canceled.statusCode)
    expect([200, 409]).toContain(approved.statusCode)
    expect([approved.statusCode, canceled.statusCode]).toContain(200)
    if (row.phase === 'canceled') expect(row).toMatchObject({ attempts: 0, finalized: 0 })
    else if (row.phase === 'failed')
      expect(row).toMatchObject({ reason: 'canceled_by_user', attempts: 1, needsRefresh: true })
    else expect(row).toMatchObject({ phase: 'succeeded', attempts: 1, finalized: 1 })
    // A cancel that was answered with 409 came after the run's end.
    if (canceled.statusCode === 409) expect(row.phase).toBe('succeeded')
    expect((await recordOf(run)).ended).toBe(1)
  })

  test.each([
    [
      'a variable',
      async ({ url }: TestWorkspace) =>
        author.post(`${url}/variables`, { key: 'word', value: 'other' }),
    ],
    [
      'the configuration',
      async ({ url }: TestWorkspace) =>
        author.put(`${url}/configuration`, {
          files: { 'main.tf': 'output "word" { value = "other" }\n' },
        }),
    ],
  ] as const)(
    'approve and a change of %s: the plan is applied before the change, or not at all',
    async (_, change) => {
      const run = await beginWaiting()
      const [approved, changed] = await Promise.all([
        ask(round, operator(0), `${run.url}/approve`),
        change(run.workspace),
      ])
      expect(changed.statusCode, changed.body).toBeLessThan(300)
      expect([200, 409]).toContain(approved.statusCode)
      const row = await ends(run)
      // If the approval came first and the apply started before the change, the approved plan was
      // applied. Otherwise the approval is void.
      if (row.phase === 'succeeded') {
        expect(approved.statusCode).toBe(200)
        expect(row).toMatchObject({ attempts: 1, finalized: 1 })
      } else expect(row).toMatchObject({ phase: 'failed', reason: 'plan_stale', attempts: 0 })
      expect((await recordOf(run)).ended).toBe(1)
    },
  )
})
