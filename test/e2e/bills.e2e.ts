import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { focusCsv } from '../harness/finops/focus-csv.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const now = new Date()
/** The last one: of this one, a second day may still be to come, whose cost is not shown. */
const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1))
  .toISOString()
  .slice(0, 7)
const bill = (costs: Array<number | string>) => ({
  name: 'bill.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(focusCsv(month, costs)),
})

describe('the page of bills', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('a bill is uploaded, its cost is shown, and one that cannot be read says where', async () => {
    const user = await org.user('SRE · Cloud Admin')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost')
    await page.getByRole('link', { name: 'Upload a bill' }).click()
    await page.getByText('No bills yet').waitFor()
    const upload = async (costs: Array<number | string>) => {
      await page.getByRole('button', { name: 'Upload a bill…' }).click()
      await page.getByLabel('Name').fill('data-center')
      await page.getByLabel('Files').setInputFiles(bill(costs))
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
    }
    await upload([100, 200.25])
    await page.getByText('Succeeded').waitFor({ timeout: 60_000 })
    await page.getByRole('link', { name: 'Spend' }).click()
    await page.locator('.stat').getByText('$300.25').first().waitFor()

    await page.getByRole('link', { name: 'Bills' }).click()
    await upload([100, 'twelve'])
    await page.getByRole('alert').getByText('twelve').first().waitFor({ timeout: 60_000 })
    await expectAccessible(page, 'a refused upload')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page
      .getByRole('button', { name: /^Bills of the ingest/ })
      .first()
      .click()
    await page.getByText('refused').first().waitFor()
    await page.getByText('row 2').first().waitFor()
    // The browser reports each answer of 400 to the console of the page.
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([])
    await context.close()
  }, 120_000)

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: axe and width; a Viewer changes nothing`, async () => {
      const user = await org.user('Viewer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto('/cost/bills')
      await page
        .getByRole('button', { name: /^Bills of the ingest/ })
        .first()
        .click()
      await page.getByText('refused').first().waitFor()
      await settle(page)
      await takePicture(page, `bills-${view.scheme}-${view.width}`)
      await expectNoSideways(page, 'bills')
      await expectAccessible(page, 'bills')
      expect(await page.getByRole('button', { name: /Upload|Read|Delete|Load/ }).count()).toBe(0)
      expect(faults).toEqual([])
      await context.close()
    })
})
