import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BudgetFigures } from '../../../domain/finops/budgets/budget.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { outbox } from '../../../store/outbox/outbox.ts'
import { prices } from '../../../store/finops/prices.ts'
import { infrastructureRunId } from '../../../workflows/infrastructure/contract.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { awaits, getRun, isOver, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(async () => harness.close())

/** An organization with a standard workspace, one resource of which costs 200 a month. */
async function world({ priced = true }: { priced?: boolean } = {}) {
  const org = await harness.organization()
  const [owner, author, second] = [
    await org.user('Owner'),
    await org.user('Deployer'),
    await org.user('Deployer'),
  ]
  const inOrg = async <T>(work: (db: ReturnType<typeof unwrap>['db']) => Promise<T>): Promise<T> =>
    harness.deps.store.tenant(org.id, async (tenant) => work(unwrap(tenant).db))
  if (priced)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      prices(tenant).create({
        provider: 'terraform',
        resourceType: 'terraform_data',
        match: {},
        monthlyPrice: '200',
        currency: 'USD',
        source: 'test',
        validFrom: '2026-01-01',
      }),
    )
  const workspace = await org.workspace({ by: author })
  /** As if the bill said so: in place of the figures that the budget's creation computed. */
  const expectOf = async (budgetId: number, amount: number) => {
    const figures: BudgetFigures = {
      actual: '1',
      unknownBecause: null,
      forecast: { amount, low: amount, high: amount },
      noForecastBecause: null,
    }
    await inOrg(async (db) => db('budget_figures').where({ budgetId }).update({ figures }))
  }
  const budget = async (fields: object, expected: number | null): Promise<{ id: number }> => {
    const body = { name: 'Shop', amountMonthly: 1_000, scopeKind: 'all', overBudget: 'approve' }
    const made = await owner.post('/api/finops/budgets', { ...body, ...fields })
    expect(made.statusCode, made.body).toBe(201)
    if (expected !== null) await expectOf(made.json().budget.id, expected)
    return made.json().budget
  }
  const runOnce = async () => {
    const { id } = await startRun(author, workspace)
    return runUntil(author, { workspace, id }, awaits)
  }
  return { org, owner, author, second, workspace, inOrg, expectOf, budget, runOnce }
}

const costGate = (run: Awaited<ReturnType<typeof getRun>>) =>
  run.stages[0]?.gates?.find(({ kind }) => kind === 'cost')

describe('a budget that holds runs', () => {
  test('lets a plan pass that stays below it, and one outside of its scope', async () => {
    const { budget, runOnce, org } = await world()
    await budget({}, 799.99)
    const other = await org.workspace()
    await budget({ scopeKind: 'workspace', scopeValue: String(other.id) }, 5_000)
    await budget({ scopeKind: 'provider', scopeValue: 'aws' }, 5_000)
    await budget({ name: 'Warns', overBudget: 'warn' }, 5_000)
    const run = await runOnce()
    expect(run).toMatchObject({ state: 'succeeded', approvalReasons: [] })
    // It is told of the budget that only warns.
    expect(costGate(run)).toMatchObject({
      result: 'warn',
      findings: [{ level: 'warn', budget: { name: 'Warns' }, breaks: true }],
    })
  })

  test('waits for a second person where forecast and delta reach the amount', async () => {
    const { budget, runOnce, author, second, workspace } = await world()
    await budget({}, 800)
    const run = await runOnce()
    expect(run).toMatchObject({
      state: 'running',
      awaitingApproval: true,
      approvalReasons: ['budget'],
      mayApprove: false,
      because: { mayApprove: 'approver_is_author' },
    })
    expect(costGate(run)).toMatchObject({
      findings: [{ level: 'warn', budget: { name: 'Shop' }, breaks: true }],
    })
    const approve = `/api/pipelines/${workspace.pipelineId}/runs/${run.id}/approve`
    expect((await author.post(approve, {})).statusCode).toBe(403)
    expect((await second.post(approve, {})).statusCode).toBe(200)
    const ended = await runUntil(author, { workspace, id: run.id }, isOver)
    expect(ended).toMatchObject({ state: 'succeeded', approvalReasons: ['budget'] })
    expect(ended.stages[1]).toMatchObject({ name: 'approve', by: second.email })
    const { text } = await harness.mailTo(second.email)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'The budget Shop of 1000.00 USD a month would be reached',
    )
  })

  test('waits where a price is missing, and where the budget has no certain cost', async () => {
    const unpriced = await world({ priced: false })
    await unpriced.budget({}, 5)
    // The default of `terraform_data` is free, so a price in another currency is what is missing.
    await harness.deps.store.tenant(unpriced.org.id, async (tenant) =>
      prices(tenant).create({
        provider: 'terraform',
        resourceType: 'terraform_data',
        match: {},
        monthlyPrice: '1',
        currency: 'EUR',
        source: 'test',
        validFrom: '2026-01-01',
      }),
    )
    expect(await unpriced.runOnce()).toMatchObject({ approvalReasons: ['budget'] })
    const unknown = await world()
    await unknown.budget({}, null)
    const run = await unknown.runOnce()
    expect(run).toMatchObject({ awaitingApproval: true, approvalReasons: ['budget'] })
    expect(costGate(run)).toMatchObject({
      findings: [{ message: expect.stringContaining('no certain cost'), breaks: false }],
    })
  })

  test('a plan-only run ends, and names the budget', async () => {
    const { budget, author, workspace } = await world()
    await budget({}, 5_000)
    const started = await author.post(`${workspace.url}/plan`, {})
    const place = { workspace, id: started.json().run.id }
    const run = await runUntil(author, place, isOver)
    expect(run).toMatchObject({ state: 'succeeded', approvalReasons: [] })
    expect(costGate(run)).toMatchObject({ findings: [{ breaks: true }] })
  })

  test.each([
    ['the budget holds it now', [], 5_000],
    ['it was held, and nobody approved it', ['budget'], 1],
  ])(
    'the last check before an apply: without an approval a run waits where %s',
    async (...given) => {
      const [, approvalReasons, expected] = given
      const { org, author, workspace, budget, expectOf, inOrg, runOnce } = await world()
      const { id: budgetId } = await budget({}, 5_000)
      const { id } = await runOnce()
      await expectOf(budgetId, expected)
      // As if its plan had passed, or somebody had moved it past its approval.
      await inOrg(async (db) =>
        db('workspace_runs').where({ id }).update({ phase: 'apply_queued', approvalReasons }),
      )
      await harness.deps.store.tenant(org.id, async (tenant) =>
        outbox(tenant).wake(
          infrastructureRunId({ organizationId: org.id, workspaceRunId: id }),
          `t${id}`,
        ),
      )
      const run = await runUntil(author, { workspace, id }, awaits)
      expect(run).toMatchObject({ awaitingApproval: true, approvalReasons: ['budget'] })
      expect(
        run.timeline?.filter(({ event }) => event === 'pipeline.awaiting_approval'),
      ).toHaveLength(2)
      expect(run.stages[2]).toMatchObject({ name: 'apply', state: 'pending', startedAt: null })
    },
  )
})
