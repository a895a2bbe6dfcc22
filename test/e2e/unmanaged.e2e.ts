import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withUnmanaged } from '../harness/cost-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const path = '/cost/unmanaged'

describe('the page of unmanaged cost', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    await withUnmanaged(harness, org, 12)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: axe, width and a picture`, async () => {
      const user = await org.user('Viewer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(path)
      await page.getByText('bucket-00008').first().waitFor()
      await settle(page)
      await page.locator('summary').first().click()
      await takePicture(page, `unmanaged-${view.scheme}-${view.width}`, { fullPage: true })
      await expectNoSideways(page, 'unmanaged')
      await expectAccessible(page, 'unmanaged')
      expect(faults).toEqual([])
      await context.close()
    })

  test('the figures are those of the API, a service narrows the page, and the address keeps it', async () => {
    const user = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    const shown = (amount: number) =>
      new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(amount)
    await page.goto(path)
    const { total, resources } = (await user.get('/api/finops/unmanaged')).json()
    await page.locator('.stat').getByText(shown(total)).waitFor()
    const table = page.getByRole('region', { name: 'Resources that no workspace holds' })
    await table.getByText(shown(resources[0].amount)).first().waitFor()
    await page
      .getByRole('region', { name: 'Unmanaged cost by service' })
      .getByRole('link', { name: 'Amazon S3' })
      .click()
    await expect.poll(() => new URL(page.url()).searchParams.get('service')).toBe('Amazon S3')
    const ofS3 = (await user.get('/api/finops/unmanaged?service=Amazon%20S3')).json()
    await page.locator('.stat').getByText(shown(ofS3.total)).waitFor()
    await page.reload()
    await page.locator('.stat').getByText(shown(ofS3.total)).waitFor()
    await page.getByRole('link', { name: 'Remove the filter Service' }).click()
    await page.locator('.stat').getByText(shown(total)).waitFor()
    // The filter stays where its days are refused.
    const from = page.getByLabel('From', { exact: true })
    await from.fill('2020-01-01')
    await from.blur()
    await page.getByRole('alert').first().waitFor()
    expect(await from.inputValue()).toBe('2020-01-01')
    await page.getByLabel('Period').selectOption('Last month and this one')
    await page.locator('.stat').getByText(shown(total)).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('an import block is copied, and the CSV has what is shown', async () => {
    const user = await org.user('Viewer')
    const { page, context } = await visit(browser, harness, { user })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(path)
    const [first] = (await user.get('/api/finops/unmanaged')).json().resources
    await page.getByRole('button', { name: `Copy import block of ${first.cloudId}` }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(first.importBlock)
    const href = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href')
    const csv = (await user.get(href ?? '')).body
    expect(csv).toContain('Amazon S3')
    expect(csv).not.toContain('Support')
    await context.close()
  })

  test('untagged cost is money by service and owner, of a key that is chosen', async () => {
    const user = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByLabel('Tag key').fill('env')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('tagKey')).toBe('env')
    const { total } = (await user.get('/api/finops/cost?tagKey=env&untagged=true')).json()
    const words = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(total)
    await page.getByText(`${words} without the tag env.`).waitFor()
    await page
      .getByRole('region', { name: 'Without the tag env, by workspace' })
      .getByText('Without a resource')
      .waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('10,000 resources: the first are there at once, and the list goes on', async () => {
    const large = await harness.organization()
    await withUnmanaged(harness, large, 10_000)
    const user = await large.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    const rows = page
      .getByRole('region', { name: 'Resources that no workspace holds' })
      .locator('tbody tr')
    await rows.first().waitFor()
    const before = await rows.count()
    await page.locator('.more').last().scrollIntoViewIfNeeded()
    await expect.poll(async () => rows.count(), { timeout: 15_000 }).toBeGreaterThan(before)
    await expectNoSideways(page, '10,000 unmanaged resources')
    expect(faults).toEqual([])
    await context.close()
  }, 180_000)

  test('an organization without cost is told what the page is for', async () => {
    const user = await (await harness.organization()).user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByText('No cost yet').waitFor()
    await expectAccessible(page, 'no unmanaged cost')
    expect(faults).toEqual([])
    await context.close()
  })
})
