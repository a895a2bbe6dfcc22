import { afterAll, beforeAll, expect, test } from 'vitest'
import { overridesUntil } from '../../store/runs/overrides-until.ts'
import { unwrap, type Tenant } from '../../store/driver/tenant.ts'
import { runInPhase } from '../api/workspaces/run-in-phase.ts'
import { countStatements } from '../harness/count-statements.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

async function made() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { id: workspaceId } = await org.workspace({ by: owner })
  const { id: elsewhere } = await org.workspace({ by: owner })
  const inTenant = async <T>(work: (tenant: Tenant) => Promise<T>) =>
    harness.deps.store.tenant(org.id, work)
  const add = async (kind: 'apply' | 'plan', name: string, of = workspaceId) => {
    const place = { organizationId: org.id, workspaceId: of, authorUserId: owner.id }
    const { id } = await runInPhase(harness.deps, place, 'apply_queued')
    await inTenant(async (tenant) =>
      unwrap(tenant)
        .db('workspace_runs')
        .where({ id })
        .update({
          kind,
          phase: 'succeeded',
          endedAt: new Date(),
          overrides: name === '' ? null : Buffer.from(name),
        }),
    )
    return id
  }
  const until = async (runId: number | null) =>
    (await inTenant(async (tenant) => overridesUntil(tenant, { workspaceId, runId }))).map(
      ({ sealed }) => String(sealed),
    )
  return { add, until, elsewhere }
}

test('the run and ten applies before it, whatever plans and later runs there are', async () => {
  const { add, until, elsewhere } = await made()
  await add('apply', 'forgotten')
  for (let number = 1; number <= 9; number += 1) await add('apply', number === 4 ? '' : `${number}`)
  await add('plan', 'other plan')
  const tenth = await add('apply', '10')
  const plan = await add('plan', 'plan')
  await add('apply', 'later')
  await add('apply', 'elsewhere', elsewhere)
  const applies = ['10', '9', '8', '7', '6', '5', '3', '2', '1']
  expect(await until(plan)).toEqual(['plan', ...applies])
  expect(await until(tenth)).toEqual([...applies, 'forgotten'])
  expect(await until(null)).toEqual(['later', ...applies.slice(0, -1)])
})

test('of overrides of more than 1 MiB together the small ones alone are read', async () => {
  const { add, until } = await made()
  const large = 'x'.repeat(340_000)
  await add('apply', 'small')
  for (let n = 0; n < 3; n += 1) await add('apply', large)
  expect(await until(null)).toEqual([large, large, large, 'small'])
  await add('apply', large)
  expect(await until(null)).toEqual(['null', 'null', 'null', 'null', 'small'])
})

test('it reads the run by its key, and no other plan of the workspace', async () => {
  const org = await harness.organization()
  const { statements } = await countStatements(async () =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      overridesUntil(tenant, { workspaceId: 1, runId: 1 }),
    ),
  )
  const [statement] = statements.filter((text) => /\bworkspace_runs\b/.test(text))
  const plan = await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)
    // Of empty tables any plan is cheap.
    for (const way of ['seqscan', 'bitmapscan', 'sort'])
      await db.raw(`set local enable_${way} = off`)
    const { rows } = await db.raw(`explain (generic_plan) ${statement}`)
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
  })
  // By the run's id, whichever index begins with it in an empty table.
  expect(plan).toMatch(/Index Cond: .*\(id = \$\d+\)/)
  expect(plan).toMatch(
    /Index Scan using workspace_runs_applies .*\n *Index Cond: .*workspace_id = \$\d+.*\(id <= \$\d+\)/,
  )
  expect(plan).not.toMatch(/workspace_runs_workspace\b/)
})
