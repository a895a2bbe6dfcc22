import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  id: string
  help: string
  nodes: Array<{ html: string; failureSummary?: string }>
}

/** The rules whose result depends on the theme. */
export const rulesOfColor = ['color-contrast', 'link-in-text-block']

/** No violation of axe's rules, or of these alone, on what is shown now. */
export async function expectAccessible(
  page: Page,
  where: string,
  rules?: readonly string[],
): Promise<void> {
  // Through the debugger, which the page's content security policy does not bind.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(source)
  // Without the list of all that passed, which takes most of the time.
  const options = {
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  }
  const result = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)
  // axe's own result.
  const { violations } = result as { violations: Violation[] }
  const words = violations.map(({ id, help, nodes }) =>
    [
      `${id}: ${help}`,
      ...nodes.slice(0, 4).map((n) => `  ${n.html.slice(0, 200)}\n  ${n.failureSummary ?? ''}`),
    ].join('\n'),
  )
  expect(words.join('\n'), `axe on ${where}`).toBe('')
}
