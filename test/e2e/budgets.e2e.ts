import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { charge, storeCharges } from '../harness/cost-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, visit } from './browser.ts'
import { focused } from './focused.ts'

const today = new Date().toISOString().slice(0, 10)
const month = today.slice(0, 7)

describe('budgets that hold runs, and exchange rates', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      await storeCharges(db, organizationId, [
        charge({ day: today, service: 'Compute', effective: '10.00' }),
        charge({ day: today, service: 'Compute', currency: 'CHF', effective: '12.50' }),
      ])
    })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('a Deployer is offered no change of a budget that holds runs which the API refuses', async () => {
    const owner = await org.user('Owner')
    for (const budget of [
      { name: 'Holds', amountMonthly: 50, scopeKind: 'all', overBudget: 'approve' },
      { name: 'Warns', amountMonthly: 50, scopeKind: 'all' },
    ])
      expect((await owner.post('/api/finops/budgets', budget)).statusCode).toBe(201)
    const user = await org.user('Deployer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost/budgets')
    await page.getByRole('button', { name: 'Delete Warns' }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete Holds' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Change Holds' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('requires the role SRE · Cloud Admin or higher').waitFor()
    expect(await dialog.getByLabel('Of what').isDisabled()).toBe(true)
    expect(await dialog.getByLabel(/^Amount a month/).getAttribute('max')).toBe('50')
    await expectAccessible(page, 'a budget that holds runs, for a Deployer')
    await dialog.getByLabel(/^Amount a month/).fill('40')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { budgets } = (await owner.get('/api/finops/budgets')).json()
    expect(budgets).toMatchObject([
      { amountMonthly: 40, scopeKind: 'all', overBudget: 'approve' },
      { amountMonthly: 50 },
    ])
    expect(faults).toEqual([])
    await context.close()
  })

  test('the note about money without a rate leads to where its rate is set, and deleted', async () => {
    const user = await org.user('SRE · Cloud Admin')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost')
    await page.getByText('there is no exchange rate: CHF 12.50').waitFor()
    await page.getByRole('link', { name: 'Exchange rates' }).click()
    await page.getByText('No exchange rate yet.').waitFor()
    await expect.poll(async () => focused(page)).toBe('Exchange rates')
    await page.getByRole('button', { name: 'Set a rate…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Currency of the bills').fill('chf')
    await dialog.getByLabel('One unit of it in USD').fill('1.2')
    await expectAccessible(page, 'an exchange rate')
    await dialog.getByRole('button', { name: 'Set rate' }).click()
    await page.getByText('1 CHF = 1.2 USD').waitFor()
    await expectAccessible(page, 'exchange rates')
    const { rates } = (await user.get('/api/finops/rates')).json()
    expect(rates).toMatchObject([{ month, base: 'CHF', quote: 'USD', rate: 1.2, kind: 'person' }])

    const viewer = await visit(browser, harness, { user: await org.user('Viewer') })
    await viewer.page.goto('/cost')
    await viewer.page.locator('.stat').getByText('$25.00').first().waitFor()
    expect(await viewer.page.getByText('there is no exchange rate').count()).toBe(0)
    await viewer.page.goto('/cost/bills')
    await viewer.page.getByText('1 CHF = 1.2 USD').waitFor()
    expect(await viewer.page.getByRole('button', { name: /rate/ }).count()).toBe(0)
    await viewer.context.close()

    await page.getByRole('button', { name: /^Delete the rate CHF to USD/ }).click()
    await dialog.getByRole('button', { name: 'Delete rate' }).click()
    await page.getByText('No exchange rate yet.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
