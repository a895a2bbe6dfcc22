import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'
import { joinedPlan, pageOfPlan } from './plan-world.ts'

describe('the dependency graph of a plan', () => {
  let harness: Harness
  let browser: Browser
  let user: TestUser
  let path: string
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    const org = await harness.organization()
    user = await org.user('Viewer')
    path = await pageOfPlan(harness, { org, by: await org.user('Deployer') }, joinedPlan())
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const node = (page: Page, name: RegExp) =>
    page.getByRole('region', { name: 'Dependency graph' }).getByRole('button', { name })

  test('in each view, with its table', async () => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(`${path}&view=graph`)
      await node(page, /aws_vpc\.main/).waitFor()
      await settle(page)
      const where = `plan-graph-${view.scheme}-${view.width}`
      await expectAccessible(page, where)
      await expectNoSideways(page, where)
      await page.evaluate("document.querySelector('.chips').scrollIntoView()")
      await takePicture(page, where)
      const table = page.getByRole('region', { name: 'Dependencies of the changes' })
      await table.getByRole('button', { name: 'aws_s3_bucket.logs' }).waitFor()
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('by keyboard: along the edges, to the list, and back', async () => {
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByRole('button', { name: 'Dependency graph' }).press('Enter')
    await page.waitForURL(/view=graph/)
    await node(page, /aws_vpc\.main, needs 0, needed by 3/).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.locator(':focus').getAttribute('aria-label')).toMatch(/needs 1, needed by/)
    await page.keyboard.press('End')
    await page.getByText('Create aws_route53_record.shop, needs 2, needed by 0.').waitFor()
    await page.keyboard.press('ArrowLeft')
    const name = String(await page.locator(':focus').getAttribute('aria-label'))
    expect(name).toMatch(/^(Create aws_instance\.web|Replace aws_db_instance\.main), needs 2/)
    await page.getByRole('button', { name: 'Show in the list' }).press('Enter')
    await page.getByText(/^1 found$/).waitFor()
    expect(new URL(page.url()).searchParams.get('view')).toBeNull()
    expect(faults).toEqual([])
    await context.close()
  })
})
