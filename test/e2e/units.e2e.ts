import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { raiseVersion } from '../harness/cost-rows.ts'
import { withSpend } from '../harness/cost-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const url = '/api/finops/units'
const dollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 4,
})
const dayAgo = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

describe('units of cost', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let id: number
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    await withSpend(harness, org)
    const owner = await org.user('Owner')
    const unit = async (name: string, one: string) => {
      const made = await owner.post(url, { name, unit: one, scopeKind: 'all' })
      return made.json().unit.id
    }
    id = await unit('Orders of the shop', 'order')
    await unit('People who sign in', 'user')
    // A hole, a day without orders, and a day between two holes.
    const days = Array.from({ length: 40 }, (_, n) => n).filter((n) => ![5, 6, 20, 22].includes(n))
    const values = days.map((n) => ({
      day: dayAgo(n),
      value: n === 9 ? 0 : 900 + ((n * 37) % 211),
    }))
    expect((await owner.put(`${url}/${id}/values`, { values })).statusCode).toBe(200)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const picture = async (page: Page, name: string) => {
    await settle(page)
    await takePicture(page, name, { fullPage: true })
  }

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: the list and a unit with its figures`, async () => {
      const user = await org.user('Viewer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      const { units } = (await user.get(url)).json()
      const shown = `${dollars.format(units[0].last30Days.costPerUnit)} per order`
      await page.goto('/cost/units')
      await page.getByText(shown).waitFor()
      await page.getByText('No values', { exact: true }).waitFor()
      await picture(page, `units-${view.scheme}-${view.width}`)
      await expectNoSideways(page, 'units')
      await expectAccessible(page, 'units')
      expect(await page.getByRole('button', { name: /unit/ }).count()).toBe(0)
      await page.getByRole('link', { name: 'Orders of the shop' }).click()
      await page.getByRole('img', { name: /^Cost per order by day/ }).waitFor()
      await page.getByLabel('Period').selectOption('Last 30 days')
      await page.locator('.stat').getByText(shown).waitFor()
      await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(dayAgo(29))
      await picture(page, `unit-${view.scheme}-${view.width}`)
      await expectNoSideways(page, 'a unit')
      await expectAccessible(page, 'a unit')
      const rows = page.getByRole('region', { name: 'Cost per order by day' }).getByRole('row')
      expect(await rows.count()).toBe(31)
      expect(await page.getByRole('button', { name: /values|Change|Delete/ }).count()).toBe(0)
      expect(faults).toEqual([])
      await context.close()
    })

  test('a unit is created, changed, filled with pasted values and deleted', async () => {
    const other = await harness.organization()
    await withSpend(harness, other)
    const user = await other.user('Deployer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost')
    await page.getByRole('link', { name: 'Units' }).click()
    await page.getByText('No units yet').waitFor()
    await expectAccessible(page, 'no units')
    await page.getByRole('button', { name: 'New unit' }).click()
    await page.getByLabel('Name').fill('Orders')
    await page.getByLabel('What one of it is called').fill('order')
    await page.getByLabel('Of what').selectOption('A service')
    await page.getByLabel('Service', { exact: true }).fill('compute')
    await expectAccessible(page, 'a new unit')
    await page.getByRole('button', { name: 'Create unit' }).click()
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByText('No values in this period').waitFor()
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByLabel('What one of it is called').fill('sale')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('A service: compute').waitFor()

    await page.getByRole('button', { name: 'Add values…' }).click()
    const lines = page.getByLabel('One day a line')
    await lines.fill(`day,value\n${dayAgo(1)},4\n${dayAgo(2)},many\n${dayAgo(1)},5`)
    await page.getByRole('button', { name: 'Save values' }).click()
    await page.getByText('Line 3: “many” is no number of 0 or more.').waitFor()
    await page.getByText(`Line 4: ${dayAgo(1)} is in line 2 already.`).waitFor()
    await expectAccessible(page, 'values with faults')
    await picture(page, 'unit-values')
    await lines.fill(`day,value\n${dayAgo(1)},4\n${dayAgo(2)},5`)
    await page.getByRole('button', { name: 'Save values' }).click()
    await page.getByRole('img', { name: /^Cost per sale by day/ }).waitFor()
    await page.getByText('on 2 complete days with a value').waitFor()

    // Days that the bills do not reach yet have a value, and no cost per unit.
    const { platform } = harness.deps.store
    await platform('billing_slices')
      .where({ organizationId: other.id })
      .update({ completeThrough: platform.raw('least(complete_through, ?::date)', [dayAgo(3)]) })
    await raiseVersion(platform, other.id)
    await page.reload()
    await page.locator('.stat').getByText('No complete day with a value').waitFor()
    const table = page.getByRole('region', { name: 'Cost per sale by day' })
    expect(await table.getByText('not complete', { exact: true }).count()).toBe(2)

    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete unit' }).click()
    await page.getByText('No units yet').waitFor()
    expect((await user.get(url)).json().units).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a unit of nobody is not found', async () => {
    const { page, context } = await visit(browser, harness, { user: await org.user('Viewer') })
    await page.goto('/cost/units/999999')
    await page.getByRole('link', { name: 'All units' }).waitFor()
    await expectAccessible(page, 'no such unit')
    await context.close()
  })
})
