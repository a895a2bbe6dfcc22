import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { actionReasons } from '../../console/src/infrastructure/action-reasons.ts'

/** The table of the check that holds a plan against its file: all that OpenTofu knows. */
const table = join(import.meta.dirname, '../../gateways/tofu/plan-file/compare-plan-file.ts')

test('each reason that OpenTofu gives for an action has a sentence in the console', () => {
  const reasons = [...readFileSync(table, 'utf8').matchAll(/^ {2}\d+: '(\w+_\w+)',$/gm)].map(
    ([, reason = '']) => reason,
  )
  expect(reasons.length).toBeGreaterThan(15)
  expect(Object.keys(actionReasons).toSorted()).toEqual(reasons.toSorted())
  for (const sentence of Object.values(actionReasons)) expect(sentence).toMatch(/^It is [^_]+\.$/)
})
