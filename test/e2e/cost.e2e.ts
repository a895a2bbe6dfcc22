import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleFolder } from '../../api/console/console-files.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { charge, storeCharges } from '../harness/cost-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const dayMs = 86_400_000
const dayAgo = (days: number): string =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)

/** Four months of 20 services with credits, and one service in a currency without a rate. */
function someCharges() {
  const days = Array.from({ length: 130 }, (_, n) => dayAgo(n))
  const services = Array.from(
    { length: 20 },
    (_, n) => `Service ${n} with a name that is not short`,
  )
  return [
    ...days.flatMap((day, ago) =>
      services.map((service, n) =>
        charge({
          day,
          service,
          provider: n % 3 === 0 ? 'azure' : 'aws',
          region: n % 2 === 0 ? 'eu-west-1' : null,
          effective: (((n * 7) % 20) + 1 + (ago % 7)).toFixed(2),
          tags: n % 4 === 0 ? {} : { team: `team-${n % 5}` },
        }),
      ),
    ),
    charge({ day: dayAgo(3), service: 'Support', category: 'Credit', effective: '-180.00' }),
    charge({ day: dayAgo(3), service: 'Compute', currency: 'CHF', effective: '12.50' }),
  ]
}

describe('the page of cost', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      await storeCharges(db, organizationId, someCharges())
    })
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const rowOf = (page: Page, name: string) =>
    page.getByRole('region', { name: /^Cost by / }).getByRole('row', { name })

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: axe, width and a picture`, async () => {
      const { page, context, faults } = await visit(browser, harness, {
        user: await org.user('Viewer'),
        view,
      })
      await page.goto('/cost')
      await page.getByRole('img', { name: /^Spend by day/ }).waitFor()
      await settle(page)
      await takePicture(page, `cost-${view.scheme}-${view.width}`, { fullPage: true })
      await expectNoSideways(page, 'cost')
      await expectAccessible(page, 'cost')
      expect(faults).toEqual([])
      await context.close()
    })

  test('a group narrows the page, which the address keeps, and each filter is removed or corrected', async () => {
    const { page, context, faults } = await visit(browser, harness, {
      user: await org.user('Viewer'),
    })
    await page.goto(`/cost?from=${dayAgo(99)}&to=${dayAgo(0)}&groupBy=provider`)
    await rowOf(page, 'Azure').getByRole('link', { name: 'Azure' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('provider')).toBe('azure')
    await rowOf(page, 'Service 18').waitFor()
    await page.reload()
    await rowOf(page, 'Service 18').waitFor()
    await page.getByRole('link', { name: 'Remove the filter Cloud' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('provider')).toBeNull()

    // What has no region is a group too. Among all services, 14 is drawn and 13 is not.
    await page.getByLabel('By', { exact: true }).selectOption('Region')
    await rowOf(page, 'no region').getByRole('link', { name: 'no region' }).click()
    await page.getByText('Region: none').waitFor()
    await rowOf(page, 'Service 13').waitFor()
    expect(await rowOf(page, 'Service 14').count()).toBe(0)
    const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href')
    expect(csv).toContain('&region=&')

    // A date that is refused stays where it is corrected.
    const to = page.getByLabel('To', { exact: true })
    await to.fill(dayAgo(120))
    await to.blur()
    await page.getByRole('alert').waitFor()
    expect(await to.inputValue()).toBe(dayAgo(120))
    await to.fill(dayAgo(0))
    await to.blur()
    await rowOf(page, 'Service 13').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('groups that are not drawn are listed, each beside the days before', async () => {
    const user = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost')
    const table = page.getByRole('region', { name: 'Cost by service' })
    await table.getByText(/^1[0-9] others$/).waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await rowOf(page, 'Service 0 with').waitFor()
    expect(await table.getByText(/others$/).count()).toBe(0)
    const { from, to, groups } = (await user.get('/api/finops/cost/series?top=50')).json()
    const length = Date.parse(to) - Date.parse(from) + dayMs
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
    const days = `from=${dayOf(Date.parse(from) - length)}&to=${dayOf(Date.parse(from) - dayMs)}`
    const before = (await user.get(`/api/finops/cost/series?top=50&${days}`)).json()
    const dollars = (amount: number) =>
      new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(amount)
    type Group = { label: string; total: number }
    for (const { label, total } of groups as Group[]) {
      const earlier = (before.groups as Group[]).find((one) => one.label === label)?.total ?? 0
      const cells = table.getByRole('row', { name: label, exact: false }).locator('td')
      await expect
        .poll(async () => (await cells.allInnerTexts()).slice(0, 3))
        .toEqual([dollars(total), expect.any(String), dollars(earlier)])
    }
    await page.getByRole('button', { name: 'Show fewer' }).click()
    await table.getByText(/^1[0-9] others$/).waitFor()
    expect(await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toBe(
      '/api/finops/cost?format=csv',
    )
    expect(faults).toEqual([])
    await context.close()
  })

  test('a tap on the chart, without a move before it, narrows the page to a day', async () => {
    const { page, context } = await visit(browser, harness, { user: await org.user('Viewer') })
    await page.goto(`/cost?from=${dayAgo(9)}&to=${dayAgo(0)}`)
    const chart = page.getByRole('img', { name: /^Spend by day/ })
    const box = await chart.boundingBox()
    if (!box) throw new Error('the chart is not shown')
    const [clientX, clientY] = [box.x + box.width / 2, box.y + box.height / 2]
    await chart.dispatchEvent('click', { clientX, clientY })
    const narrowed = () => new URL(page.url()).searchParams
    await expect.poll(() => narrowed().get('from') === narrowed().get('to')).toBe(true)
    await context.close()
  })

  test('a click on a late day narrows the page to it, with the pointer where the bar was', async () => {
    const { page, context, faults } = await visit(browser, harness, {
      user: await org.user('Viewer'),
    })
    await page.goto(`/cost?from=${dayAgo(9)}&to=${dayAgo(0)}`)
    const chart = page.getByRole('img', { name: /^Spend by day/ })
    const box = await chart.boundingBox()
    if (!box) throw new Error('the chart is not shown')
    await chart.click({ position: { x: box.width - 60, y: box.height / 2 } })
    await page.getByRole('img', { name: /^Spend by day from (.+) to \1\./ }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('what has no tag is shown and narrows the page too', async () => {
    const { page, context, faults } = await visit(browser, harness, {
      user: await org.user('Viewer'),
    })
    await page.goto('/cost')
    await page.getByLabel('By', { exact: true }).selectOption('Tag')
    await rowOf(page, 'untagged').getByRole('link', { name: 'untagged' }).click()
    await page.getByText('Tag: without team').waitFor()
    await rowOf(page, 'Service 16').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the figures are those of the API: the sum, the days, and money without a rate beside them', async () => {
    const user = await org.user('Viewer')
    const { page, context } = await visit(browser, harness, { user })
    await page.goto('/cost')
    const { total } = (await user.get('/api/finops/cost')).json()
    const shown = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(total)
    await page.locator('.stat').getByText(shown).first().waitFor()
    await page.getByText('there is no exchange rate: CHF 12.50').waitFor()
    await page.getByText('Figures by day').click()
    const days = page.getByRole('region', { name: 'Cost by day' })
    await days.getByRole('columnheader', { name: /^1[0-9] others/ }).waitFor()
    expect(await days.getByRole('row').count()).toBeGreaterThan(28)
    await expectAccessible(page, 'figures by day')
    await days.getByRole('link').first().press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(dayAgo(0))
    await context.close()
  })

  test('a budget is created, changed and deleted, and says where the month stands', async () => {
    const { page, context, faults } = await visit(browser, harness, {
      user: await org.user('SRE · Cloud Admin'),
    })
    await page.goto('/cost')
    await page.getByRole('link', { name: 'Budgets' }).click()
    await page.getByText('No budgets yet').waitFor()
    await page.getByRole('button', { name: 'New budget' }).click()
    await page.getByLabel('Name').fill('Azure')
    await page.getByLabel('Amount a month').fill('10')
    await page.getByLabel('Of what').selectOption('A cloud')
    await page.getByLabel('Cloud', { exact: true }).fill('azure')
    await page.getByLabel('Runs that would exceed it').check()
    await page.getByRole('button', { name: 'Create budget' }).click()
    await page.getByText('Exceeded').waitFor()
    await page.getByText('A cloud: Azure').waitFor()
    await page.getByText('holds runs').waitFor()
    await expectAccessible(page, 'budgets')
    await takePicture(page, 'budgets', { fullPage: true })
    await page.getByRole('button', { name: 'Change Azure' }).click()
    await expectAccessible(page, 'a budget')
    await page.getByLabel('Amount a month').fill('1000000000')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Within budget').waitFor()
    await page.getByRole('button', { name: 'Delete Azure' }).click()
    await page.getByRole('button', { name: 'Delete budget' }).click()
    await page.getByText('No budgets yet').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a Viewer sees budgets, and nothing to change them with', async () => {
    const owner = await org.user('Owner')
    const budget = { name: 'Azure', amountMonthly: 5, scopeKind: 'provider', scopeValue: 'azure' }
    expect((await owner.post('/api/finops/budgets', budget)).statusCode).toBe(201)
    for (const view of views) {
      const user = await org.user('Viewer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto('/cost/budgets')
      await page.getByText('Exceeded').waitFor()
      expect(await page.getByRole('button', { name: /budget|Change|Delete/ }).count()).toBe(0)
      await expectNoSideways(page, 'budgets')
      await expectAccessible(page, 'budgets')
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('the page with its chart adds at most 60 KB of compressed script to the first load', async () => {
    const user = await org.user('Viewer')
    const scriptsOf = async (path: string, shown: string) => {
      const { page, context } = await visit(browser, harness, { user })
      const found = new Set<string>()
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (pathname.endsWith('.js')) found.add(pathname)
      })
      await page.goto(path)
      await page.getByRole('img', { name: shown }).or(page.getByText(shown)).first().waitFor()
      const scripts = [...found]
      await context.close()
      return scripts
    }
    const first = new Set(await scriptsOf('/', 'Create the first workspace'))
    const added = (await scriptsOf('/cost', 'Spend by day')).filter((name) => !first.has(name))
    const sizes = added.map(
      (name) => gzipSync(readFileSync(join(consoleFolder, name)), { level: 9 }).length,
    )
    const total = sizes.reduce((sum, size) => sum + size, 0)
    console.log(`page of cost: ${total} bytes of script, gzip, in ${sizes.length} files`)
    expect(total).toBeGreaterThan(5_000)
    expect(total).toBeLessThanOrEqual(60_000)
  })

  test('an organization without a bill is led to its cloud accounts', async () => {
    const other = await harness.organization()
    const { page, context, faults } = await visit(browser, harness, {
      user: await other.user('Viewer'),
    })
    await page.goto('/')
    await page.getByRole('link', { name: 'Cost' }).click()
    await page.getByText('No cost yet').waitFor()
    await page.getByRole('link', { name: 'Cloud accounts' }).click()
    await page.getByRole('heading', { name: 'Clouds' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
