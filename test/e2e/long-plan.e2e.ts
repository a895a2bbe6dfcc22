import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPlan } from '../../domain/infrastructure/test-plan.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, visit } from './browser.ts'
import { longPlan, pageOfPlan } from './plan-world.ts'
import { scrollThrough } from './scroll-through.ts'

describe('a long plan', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let user: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    user = await org.user('Deployer')
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const nodes = async (page: Page) =>
    Number(await page.evaluate("document.querySelectorAll('*').length"))

  test('5,000 resources: filters read them all, and few of them are in the document', async () => {
    const path = await pageOfPlan(harness, { org, by: user }, longPlan(5_000))
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`${path}&by=module`)
    await page.getByRole('heading', { name: /^module\.part0 556$/ }).waitFor({ timeout: 60_000 })
    expect(await nodes(page)).toBeLessThan(2_500)
    expect((await scrollThrough(page)).elements).toBeLessThan(2_500)
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('button', { name: 'Expand all' }).click()
    await page.locator('.plan-detail').first().waitFor()
    expect((await scrollThrough(page)).elements).toBeLessThan(8_000)
    await page.evaluate('scrollTo(0, 0)')
    await page.getByLabel('Filter by address').fill('item[4321]')
    await page.getByText(/^1 found$/).waitFor()
    await expectAccessible(page, 'a filtered long plan')
    await expectNoSideways(page, 'a filtered long plan')
    expect(faults).toEqual([])
    await context.close()
  })

  test('5,000 resources: rows open and close one by one and together, and are filtered by action', async () => {
    const path = await pageOfPlan(harness, { org, by: user }, longPlan(5_000))
    const { page, context } = await visit(browser, harness, { user })
    await page.goto(`${path}&by=module`)
    await page.getByRole('heading', { name: /^module\.part0 556$/ }).waitFor({ timeout: 60_000 })
    for (const name of [/item\[0\]/, /item\[9\]/, /^Collapse all$/, /^Expand all$/, /^Destroy 50$/])
      await page.getByRole('button', { name }).first().click()
    await page.getByText(/^50 found$/).waitFor()
    await context.close()
  })

  test('the row with the focus is not lost while one scrolls', async () => {
    const path = await pageOfPlan(harness, { org, by: user }, longPlan(1_000))
    const { page, context } = await visit(browser, harness, { user })
    await page.goto(`${path}&by=module`)
    await page.getByRole('heading', { name: /^module\.part0 112$/ }).waitFor()
    await page.locator('.plan-toggle').nth(3).focus()
    const name = await page.locator(':focus').innerText()
    await page.evaluate('scrollTo(0, 20_000)')
    await page.waitForTimeout(200)
    expect(await page.locator(':focus').innerText()).toBe(name)
    await page.keyboard.press('ArrowDown')
    expect(await page.locator(':focus').innerText()).not.toBe(name)
    await context.close()
  })

  test('50,000 changes open at once, say how much a filter saw, and read on when asked', async () => {
    const path = await pageOfPlan(harness, { org, by: user }, longPlan(50_000))
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByRole('button', { name: /Destroy 500$/ }).waitFor()
    await page.goto(`${path}&find=item[49999]`)
    await page.getByText(/^none found in 5,\d{3} of 50,000 changes$/).waitFor({ timeout: 60_000 })
    await page.getByRole('button', { name: 'Read all changes' }).press('Enter')
    await page.getByText(/^1 found$/).waitFor({ timeout: 180_000 })
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
    await page.locator('.plan-toggle').nth(20).waitFor()
    expect((await scrollThrough(page)).elements).toBeLessThan(2_500)
    expect(faults).toEqual([])
    await context.close()
  }, 400_000)

  test('2 MB in one attribute do not hold the page up', async () => {
    const text = (word: string) => `${word} line\n`.repeat(200_000)
    const change = { address: 'aws_x.big', actions: ['update'] as const }
    const plan = testPlan([
      {
        ...change,
        before: { script: text('old'), line: 'x'.repeat(2_000_000) },
        after: { script: text('new'), line: 'y'.repeat(2_000_000) },
      },
    ])
    const path = await pageOfPlan(harness, { org, by: user }, plan)
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByRole('region', { name: /Attributes of aws_x\.big/ }).waitFor()
    await expectNoSideways(page, '2 MB in one attribute')
    await expectAccessible(page, '2 MB in one attribute')
    expect(faults).toEqual([])
    await context.close()
  })
})
