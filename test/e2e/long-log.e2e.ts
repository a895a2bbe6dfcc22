import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logLines } from '../../store/runs/log-lines.ts'
import { stages } from '../../store/runs/stages.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import { openBrowser, visit } from './browser.ts'
import { scrollThrough } from './scroll-through.ts'

const wanted = 10_000

describe('a log of 10,000 lines', () => {
  let harness: Harness
  let browser: Browser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('scrolls with few rows in the document, is searched, followed, and linked into', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user })
    const run = await startRun(user, workspace)
    await runUntil(user, { workspace, id: run.id }, isOver)
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const stage = await stages(tenant).find(run.id, 'plan')
      if (!stage) throw new Error('the run has no plan')
      const from = stage.lastSeq + 1
      const lines = Array.from({ length: wanted - stage.lastSeq }, (_, at) => ({
        level: 'info' as const,
        line: `resource number ${from + at} refreshed`,
      }))
      await logLines(tenant).append(stage.id, lines)
    })
    const { page, context, faults } = await visit(browser, harness, { user })
    const path = `/pipelines/${workspace.pipelineId}/runs/${run.id}?tab=log&stage=plan`
    await page.goto(path)
    await page.getByText('10,000 lines, complete').waitFor()
    await page.getByText('resource number 10000 refreshed').waitFor()
    expect(await page.locator('.log-row').count()).toBeLessThan(200)

    const box = page.locator('.log-box')
    const top = async () => box.evaluate(({ scrollTop }) => scrollTop)
    await box.focus()
    await page.keyboard.press('Home')
    await expect.poll(top).toBe(0)
    await page.keyboard.press('End')
    await page.getByText('resource number 10000 refreshed').waitFor()
    const scroll = await scrollThrough(page, { box: '.log-box', up: true })
    expect(scroll.elements).toBeLessThan(2_000)
    expect(await top()).toBe(0)

    await page.keyboard.press('/')
    await page.keyboard.type('number 7777 ')
    await page.getByText('1 of 1').waitFor()
    await page.getByText('resource number 7777 refreshed').waitFor()

    await page.goto(`${path}&line=5000`)
    await page.locator('.log-row.linked').waitFor()
    expect(await page.locator('.log-row.linked').textContent()).toContain('number 5000')

    // A stream that is refused is not asked for over and over: whoever's session ended signs in again.
    await page.goto(`/pipelines/${workspace.pipelineId}/runs/${run.id}?tab=timeline`)
    await page.getByText('ended this run as succeeded').waitFor()
    const refused: string[] = []
    // The session ends when the stream is asked for: earlier, another request of the page may ask for
    // the sign-in before the click.
    await page.route('**/logs?*', async (route) => {
      refused.push(route.request().url())
      await user.post('/api/auth/logout')
      await route.continue()
    })
    await page.getByRole('link', { name: 'Plan log' }).click()
    await page.getByText('Your session is over.').waitFor()
    await page.waitForTimeout(2_500)
    expect(refused).toHaveLength(1)
    expect(faults).toEqual([])
    await context.close()
  })
})
