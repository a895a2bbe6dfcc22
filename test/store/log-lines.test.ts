import { afterAll, beforeAll, expect, test } from 'vitest'
import { asTenant, unwrap } from '../../store/driver/tenant.ts'
import { logLines, type LogLine } from '../../store/runs/log-lines.ts'
import { stages } from '../../store/runs/stages.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startRun } from '../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

const many = 20_000
const outcome = (n: number) => `terraform_data.of[${n}]: Creation complete after ${n}s [id=${n}]`

/** A log of many lines, and of each 4,000 a warning and the outcome of a resource. PostgreSQL has no statistics of it yet. */
async function longLog() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const run = await startRun(owner, await org.workspace({ by: owner }))
  const { store } = harness.deps
  const stage = await store.tenant(org.id, async (tenant) => stages(tenant).find(run.id, 'plan'))
  const stageId = stage?.id ?? 0
  const line = (n: number) => {
    if (n % 4_000 === 1) return { level: 'warn' as const, line: `warning ${n}` }
    return { level: 'info' as const, line: n % 4_000 === 2 ? outcome(n) : `line ${n}` }
  }
  await store.tenant(org.id, async (tenant) =>
    logLines(tenant).append(
      stageId,
      Array.from({ length: many }, (_, n) => line(n)),
    ),
  )
  return { org, stageId }
}

type Node = Record<string, unknown> & { Plans?: Node[] }
const nodesOf = (plan: Node): Node[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

type Choice = (lines: ReturnType<typeof logLines>) => Promise<LogLine[]>

/** The lines, and how many the database looked at. */
async function look(organizationId: number, choice: Choice) {
  return harness.deps.store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)
    const asked: Array<[sql: string, bindings: Record<string, number>]> = []
    const raw = (sql: string, bindings: Record<string, number>) => {
      asked.push([sql, bindings])
      return db.raw(sql, bindings)
    }
    const seen = new Proxy(db, {
      get: (target, name) => (name === 'raw' ? raw : Reflect.get(target, name)),
    })
    const lines = await choice(logLines(asTenant(seen, organizationId)))
    const [[sql, bindings] = ['', {}]] = asked
    const { rows } = await db.raw(`explain (analyze, format json) ${sql}`, bindings)
    const read = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
      .filter((node) => 'Relation Name' in node)
      .map((node) => Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0))
    return { lines, read: read.reduce((sum, rows) => sum + rows, 0) }
  })
}

test('what a page of a run shows of a log is found without reading the other lines', async () => {
  const { org, stageId } = await longLog()

  const problems = await look(org.id, async (lines) => lines.problems(stageId, 2_000))
  expect(problems.lines.map(({ line }) => line)).toEqual(
    [1, 4_001, 8_001, 12_001, 16_001].map((n) => `warning ${n}`),
  )
  expect(problems.read).toBe(5)

  const outcomes = await look(org.id, async (lines) => lines.outcomes(stageId, 10_000))
  expect(outcomes.lines.map(({ line }) => line)).toEqual(
    [2, 4_002, 8_002, 12_002, 16_002].map(outcome),
  )
  expect(outcomes.read).toBe(5)
})
