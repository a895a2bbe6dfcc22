import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  boundFindings,
  maxListedBytes,
  type Finding,
} from '../../../domain/policies/bound-findings.ts'
import { waitingForApproval } from '../../../store/runs/waiting-for-approval.ts'
import { workspaceRuns } from '../../../store/runs/workspace-runs.ts'
import { bytesFromPostgres } from '../../harness/bytes-from-postgres.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

type Gate = { kind: string; result: string; findings: Finding[] }
type Shown = { id: number; stages: Array<{ name: string; gates?: Gate[] }> }

/** So many runs of a workspace that are over, each with these gates. The first is the oldest. */
async function world(gates: ReadonlyArray<readonly Gate[]>) {
  const { platform } = harness.deps.store
  const org = await harness.organization()
  const author = await org.user('Owner')
  const workspace = await org.workspace({ by: author })
  const { id } = await startRun(author, workspace)
  await platform('workspace_runs').where({ id }).update({ phase: 'succeeded', endedAt: new Date() })
  const {
    rows: [columns],
  } = await platform.raw(
    `select string_agg(column_name, ', ') as written, string_agg('copy.' || column_name, ', ') as copied
     from information_schema.columns where table_name = 'workspace_runs' and is_generated = 'NEVER'`,
  )
  const { rows } = await platform.raw(
    `with place as materialized (
       select nextval('run_ids')::integer as id from generate_series(1, :more::integer)),
     copied as (
       insert into workspace_runs (${columns.written}) select ${columns.copied} from workspace_runs r cross join place
         cross join lateral jsonb_populate_record(r, jsonb_build_object('id', place.id)) copy
       where r.id = :id returning id, organization_id, workspace_id),
     placed as (
       insert into pipeline_runs (id, organization_id, pipeline_id, number, workspace_run_id)
       select id, organization_id, :pipelineId, row_number() over (order by id) + 1, id from copied),
     staged as (
       insert into stages (organization_id, workspace_run_id, name, position, state)
       select organization_id, id, 'plan', 0, 'succeeded' from copied)
     select id from copied order by id`,
    { id, more: gates.length - 1, pipelineId: workspace.pipelineId },
  )
  const ids: number[] = [id, ...rows.map((row: { id: number }) => row.id)]
  await platform.raw(
    `update workspace_runs r set gates = given.gates
     from unnest(?::integer[], ?::jsonb[]) as given (id, gates) where r.id = given.id`,
    [ids, gates.map((one) => JSON.stringify(one))],
  )
  return { org, author, workspace, ids, platform }
}

const shownBy = async (user: TestUser, url: string): Promise<Shown[]> => {
  const answer = await user.get(url)
  expect(answer.statusCode, answer.body.slice(0, 500)).toBe(200)
  return answer.json().runs
}
const gatesOf = ({ stages }: Shown) => stages.find(({ name }) => name === 'plan')?.gates

const gate = (findings: Finding[]): Gate => ({ kind: 'policy', result: 'warn', findings })
const finding = (n: number, length: number) => ({
  level: 'warn',
  message: `${n}`.padEnd(length, 'm'),
  resource: `aws_instance.web[${n}]`,
})
const many = (count: number, length: number) =>
  gate(Array.from({ length: count }, (_, n) => finding(n, length)))

test('200: 200 runs, each with 256 KiB of variables and 32 KiB of findings, are read in less than 2 MB', async () => {
  const gates = Array.from({ length: 200 }, () => [many(60, 200), many(60, 200)])
  const { org, author, workspace, ids, platform } = await world(gates)
  await platform.raw(
    `update workspace_runs set overrides = decode(repeat('ab', 262144), 'hex') where id = any(?)`,
    [ids],
  )
  const urls = ['/api', workspace.url, `/api/pipelines/${workspace.pipelineId}`]
  for (const url of urls) {
    const { answer, bytes } = await bytesFromPostgres(async () =>
      shownBy(author, `${url}/runs?limit=200`),
    )
    expect(answer).toHaveLength(200)
    expect(bytes, url).toBeLessThan(2_000_000)
  }
  const { bytes } = await bytesFromPostgres(async () =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const runs = workspaceRuns(tenant)
      expect(await runs.get(ids[0] ?? 0)).not.toHaveProperty('overrides')
      expect(await waitingForApproval(tenant, [workspace.id])).toEqual([])
    }),
  )
  expect(bytes).toBeLessThan(100_000)
})

test('200: a list shows the findings that fit in its limit, and says that there are more', async () => {
  const gates = [
    [],
    [gate([])],
    [many(3, 20), many(1, 1_000)],
    // About as long as the limit of a list.
    ...Array.from({ length: 12 }, (_, n) => [many(n + 14, 80), many(9 + n, 120)]),
    [many(40, 20), gate([])],
    [many(2, 1_000)],
    [gate([finding(0, 1_000), finding(1, 1_000), finding(2, 20)]), many(200, 2)],
    [gate(Array.from({ length: 9 }, (_, n) => ({ message: `${n}${'"\\\u0001é€😀'.repeat(40)}` })))],
  ]
  const { author, workspace, ids } = await world(gates)
  const shown = await shownBy(author, '/api/runs?limit=200&sort=createdAt')
  expect(shown.map(({ id }) => id)).toEqual(ids)
  const more = () => ({ message: 'The run itself has more findings than this list.' })
  expect(shown.map(gatesOf)).toEqual(
    gates.map((one) =>
      one.map((each) => ({
        ...each,
        findings: boundFindings(each.findings, more, maxListedBytes),
      })),
    ),
  )
  const detail = await author.get(`${workspace.url}/runs/${ids.at(-1)}`)
  expect(detail.statusCode, detail.body).toBe(200)
  expect(gatesOf(detail.json().run)).toEqual(gates.at(-1))
})
