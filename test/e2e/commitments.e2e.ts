import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { withCommitments } from '../harness/with-commitments.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const path = '/cost/commitments'
const dollars = (amount: number) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(amount)

describe('the page of commitments', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    await withCommitments(harness, org)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const table = (page: Page) => page.getByRole('region', { name: 'Commitments' })
  const names = async (page: Page) => table(page).locator('tbody th').allInnerTexts()

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: axe, width and a picture`, async () => {
      const user = await org.user('Viewer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(path)
      await table(page).getByText('Committed use: CPU').waitFor()
      await settle(page)
      await takePicture(page, `commitments-${view.scheme}-${view.width}`, { fullPage: true })
      await expectNoSideways(page, 'commitments')
      await expectAccessible(page, 'commitments')
      expect(faults).toEqual([])
      await context.close()
    })

  test('a Viewer comes from Cost and sees the figures of the API, most unused first', async () => {
    const user = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost')
    await page.getByRole('link', { name: 'Commitments' }).click()
    await table(page).waitFor()
    const { total, commitments } = (await user.get('/api/finops/commitments?sort=unused')).json()
    for (const amount of [total.amortised, total.used, total.unused, total.savings])
      await page.locator('.stat').getByText(dollars(amount)).waitFor()
    await page.getByText('saved against the price without them, of 2 of 3').waitFor()
    const [azure] = commitments
    const row = table(page).getByRole('row', { name: azure.id })
    expect(await names(page)).toEqual([
      expect.stringContaining(azure.id),
      expect.stringContaining('Compute, three years'),
      expect.stringContaining('Committed use: CPU'),
    ])
    expect(await row.locator('td').allInnerTexts()).toEqual([
      'Azure',
      '$100.00',
      '$62.00',
      '$38.00',
      expect.stringMatching(/62\.0 %\s*under 80 %/),
      'unknown',
    ])
    expect(faults).toEqual([])
    await context.close()
  })

  test('cloud, order and days are in the address, by keyboard too', async () => {
    const { page, context, faults } = await visit(browser, harness, {
      user: await org.user('Viewer'),
    })
    await page.goto(path)
    await table(page).waitFor()
    await page.getByLabel('Cloud').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => new URL(page.url()).search).toBe('?provider=aws')
    await expect.poll(async () => (await names(page)).length).toBe(1)
    await page.locator('.stat').getByText('$160.00').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('amortised')
    await page.getByLabel('Cloud').selectOption('All')
    await expect.poll(async () => (await names(page))[1] ?? '').toContain('Committed use: CPU')
    await page.reload()
    await table(page).waitFor()
    expect((await names(page))[1]).toContain('Committed use: CPU')
    await page.getByLabel('Period').selectOption('This month')
    await page.getByText('No commitments in this period').waitFor()
    expect(new URL(page.url()).searchParams.get('sort')).toBe('amortised')
    await page.goBack()
    await table(page).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('an organization without commitments is told what they are and why none shows', async () => {
    const user = await (await harness.organization()).user('Viewer')
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(path)
      await page.getByText('No commitments in this period').waitFor()
      await page.getByText('A commitment is a reservation, a savings plan').waitFor()
      await expectNoSideways(page, 'no commitments')
      await expectAccessible(page, 'no commitments')
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('a cloud without commitments leads back to those of all', async () => {
    const { page, context } = await visit(browser, harness, { user: await org.user('Viewer') })
    await page.goto(`${path}?provider=oci`)
    await page.getByText('No commitments of Oracle Cloud in this period').waitFor()
    await expectAccessible(page, 'no commitments of a cloud')
    await page.getByRole('link', { name: 'Show those of all clouds' }).click()
    await table(page).waitFor()
    await context.close()
  })

  test('days that the API refuses, and an API that fails, are said in its words', async () => {
    const { page, context } = await visit(browser, harness, { user: await org.user('Viewer') })
    await page.goto(`${path}?from=soon`)
    await page.getByRole('alert').waitFor()
    await expectAccessible(page, 'refused days')
    await page.route('**/api/finops/commitments**', async (route) =>
      route.fulfill({ status: 503, json: { error: 'The database is away.', code: 'unavailable' } }),
    )
    await page.goto(path)
    await page.getByRole('alert').getByText('The database is away.').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await table(page).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await context.close()
  })
})
