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

/** No violation of axe's rules on what is shown now. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  // Through the debugger, which the page's content security policy does not bind.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(source)
  // Without the list of all that passed, which takes most of the time.
  const result = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)
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
