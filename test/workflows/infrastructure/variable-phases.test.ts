import { afterAll, beforeAll, expect, test } from 'vitest'
import { findRun } from '../../../activities/runs/find-run.ts'
import { loadRun } from '../../../activities/infrastructure/load-run.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { isOver, linesOf, runUntil, startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ worker: true })
})
afterAll(() => harness.close())

const values = {
  PLAN_KEY: 'value-of-the-plan-alone',
  APPLY_KEY: 'value-of-the-apply-alone',
  BOTH_KEY: 'value-of-both-of-them',
}
const phases = { PLAN_KEY: 'plan', APPLY_KEY: 'apply', BOTH_KEY: 'both' } as const

/** Prints for each name whether the step has it, and prints both secrets. */
const script = [
  'for name in PLAN_KEY APPLY_KEY BOTH_KEY; do',
  'if printenv $name >/dev/null; then echo has-$name; else echo lacks-$name; fi; done;',
  `echo said ${values.PLAN_KEY} $APPLY_KEY`,
].join(' ')

test('a step has only the variables of its phase, and the variables of all phases are masked', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const command = JSON.stringify(script)
  const files = {
    'main.tf': `resource "terraform_data" "x" {\n  provisioner "local-exec" { command = ${command} }\n}\n`,
  }
  const workspace = await org.workspace({ by: owner, files })
  const ids: Record<string, number> = {}
  for (const [key, value] of Object.entries(values)) {
    const phase = phases[key as keyof typeof phases]
    const body = { key, value, kind: 'env', sensitive: true, phase }
    const answer = await owner.post(`${workspace.url}/variables`, body)
    expect(answer.statusCode).toBe(201)
    ids[key] = answer.json().variable.id
  }
  const { id } = await startRun(owner, workspace)
  const run = await runUntil(owner, { workspace, id }, isOver)
  expect(run.state, `${run.reason}: ${run.endMessage}`).toBe('succeeded')

  const said = (await linesOf(owner, workspace, { id, stage: 'apply' })).join('\n')
  for (const word of ['lacks-PLAN_KEY', 'has-APPLY_KEY', 'has-BOTH_KEY'])
    expect(said).toContain(word)
  expect(said).toContain('said [masked] [masked]')
  for (const value of Object.values(values)) expect(said).not.toContain(value)

  const plan = await loadRun(harness.deps, await findRun(harness.deps, id), 'plan')
  expect(plan.env).toMatchObject({ PLAN_KEY: values.PLAN_KEY, BOTH_KEY: values.BOTH_KEY })
  expect(plan.env).not.toHaveProperty('APPLY_KEY')
  expect(new Set(plan.secrets.map(({ value }) => value))).toEqual(new Set(Object.values(values)))
  const apply = await loadRun(harness.deps, await findRun(harness.deps, id), 'apply')
  expect(apply.env).not.toHaveProperty('PLAN_KEY')
  // The digest covers all variables and their phases, in each step.
  expect(apply.variablesMac).toBe(plan.variablesMac)
  const moved = { phase: 'both', value: values.APPLY_KEY }
  const widened = await owner.patch(`${workspace.url}/variables/${ids['APPLY_KEY']}`, moved)
  expect(widened.statusCode).toBe(200)
  const after = await loadRun(harness.deps, await findRun(harness.deps, id), 'plan')
  expect(after.variablesMac).not.toBe(plan.variablesMac)
  expect(after.env).toHaveProperty('APPLY_KEY')
})
