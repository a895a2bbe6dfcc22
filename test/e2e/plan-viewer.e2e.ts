import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'
import { mixedPlan, pageOfPlan } from './plan-world.ts'

describe('the viewer of a plan', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let user: TestUser
  let path: string
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    user = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    path = await pageOfPlan(harness, { org, by: user }, mixedPlan())
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const toggle = (page: Page, name: RegExp) => page.getByRole('button', { name })
  const open = async () => {
    const seen = await visit(browser, harness, { user })
    await seen.page.goto(path)
    await toggle(seen.page, /aws_db_instance\.main/).waitFor()
    return seen
  }

  test('all rows open look right in each view, and nothing is told of a secret', async () => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(path)
      await toggle(page, /aws_db_instance\.main/).waitFor()
      await settle(page)
      const where = `plan-viewer-${view.scheme}-${view.width}`
      await expectAccessible(page, where)
      await expectNoSideways(page, where)
      const row = await toggle(page, /worker\[4\]/).boundingBox()
      expect(Math.round(row?.height ?? 0)).toBeLessThanOrEqual(32)
      await page.getByRole('button', { name: 'Expand all' }).click()
      await page.getByText('It is destroyed because its number is beyond').waitFor()
      await expectAccessible(page, `${where}, open`)
      await expectNoSideways(page, `${where}, open`)
      await page.getByRole('button', { name: 'Expand all' }).scrollIntoViewIfNeeded()
      await page.evaluate("document.querySelector('.chips').scrollIntoView()")
      await takePicture(page, where)
      await page.getByRole('region', { name: /aws_iam_policy/ }).scrollIntoViewIfNeeded()
      await page.evaluate('scrollBy(0, 300)')
      await takePicture(page, `${where}-diffs`)
      expect(await page.content()).not.toContain('correct-horse')
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('JSON is compared by path, a script by line, and what acts on text is shown', async () => {
    const { page, context, faults } = await open()
    await page.getByRole('button', { name: 'Expand all' }).click()
    const policy = page.getByRole('region', { name: /aws_iam_policy/ })
    await policy.getByText('1 place in this JSON text differs').waitFor()
    await policy.getByRole('rowheader', { name: 'Statement[0].Action[1]' }).waitFor()
    const script = page.getByRole('region', { name: /module\.web\.aws_instance\.app/ })
    await script.getByText('docker run shop:1.5.0').waitFor()
    // The lines around, but no line twice.
    expect(await script.getByText('set -eu').count()).toBe(1)
    await page.getByText('aws_s3_bucket.logs["\\u{202e}evil\\u{200b}גיבוי"]').waitFor()
    await page.getByText('It leaves the state and is no longer managed.').waitFor()
    await page.getByText('The old object is destroyed before the new one is created.').waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/[\u202e\u200b\u2066]|because_/)
    await page.getByRole('button', { name: 'Collapse all' }).click()
    await expect.poll(async () => page.locator('.plan-detail').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the filters are in the address, by keyboard alone, and Back keeps them', async () => {
    const { page, context, faults } = await open()
    await page.keyboard.press('/')
    await page.keyboard.type('aws_')
    await page.waitForURL(/find=aws_/)
    await page.getByRole('button', { name: /^Destroy \d/ }).press('Space')
    await page.waitForURL(/action=destroy/)
    await page.getByText(/^3 found$/).waitFor()
    const main = toggle(page, /worker\[4\]/)
    expect(await toggle(page, /aws_db_instance/).count()).toBe(0)

    await page.getByText(/^3 found$/).waitFor()
    await page.keyboard.press('j')
    const focused = async () => page.locator(':focus').innerText()
    for (let n = 0; n < 5 && !(await focused()).includes('worker'); n += 1)
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.getByText('It is destroyed because its number is beyond').waitFor()
    expect(await main.getAttribute('aria-expanded')).toBe('true')
    // Opening a row keeps the focus in it.
    expect(await focused()).toContain('worker')
    await page.keyboard.press('ArrowLeft')
    expect(await main.getAttribute('aria-expanded')).toBe('false')

    await page.getByRole('link', { name: 'Workspaces', exact: true }).first().press('Enter')
    await page.waitForURL(/\/workspaces$/)
    await page.goBack()
    await page.getByText(/^3 found$/).waitFor()
    await expect.poll(async () => page.getByLabel('Filter by address').inputValue()).toBe('aws_')
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
    await toggle(page, /aws_db_instance\.main/).waitFor()
    expect(new URL(page.url()).searchParams.get('find')).toBeNull()
    expect(faults).toEqual([])
    await context.close()
  })

  test('by type, module and value, and in groups by module', async () => {
    const { page, context } = await open()
    await page.getByLabel('Module', { exact: true }).selectOption('module.web')
    await page.getByText(/^13 found$/).waitFor()
    await page.getByLabel('Type', { exact: true }).selectOption('aws_instance')
    await page.getByText(/^1 found$/).waitFor()
    await page.goto(`${path}&value=host-7.shop`)
    await page.getByText(/^1 found$/).waitFor()
    await page.goto(`${path}&value=correct-horse`)
    await page.getByText(/^none found$/).waitFor()
    await page.goto(path)
    await page.getByRole('button', { name: 'Group by module' }).press('Enter')
    await page.getByRole('heading', { name: /^module\.web 13$/ }).waitFor()
    await page.getByRole('heading', { name: /^Outside of modules 4$/ }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: /^module\.web 13$/ }).waitFor()
    await context.close()
  })

  test('the downloads have the whole plan, whatever is filtered, with its masks', async () => {
    const { page, context } = await open()
    await page.goto(`${path}&action=destroy`)
    for (const [name, ending] of [
      ['Download JSON', '.json'],
      ['Download text', '.txt'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).press('Enter'),
      ])
      expect(download.suggestedFilename()).toMatch(new RegExp(`^plan-.+-1\\${ending}$`))
      const text = await readFile(await download.path(), 'utf8')
      expect(text).toContain('module.web.aws_route53_record.name')
      expect(text).toContain('(sensitive value)')
      expect(text).not.toContain('correct-horse')
      expect(text).not.toMatch(/[\u202e\u200b\u2066]/)
    }
    await context.close()
  })
})
