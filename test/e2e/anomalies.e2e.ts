import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withAnomalies } from '../harness/cost-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { scopeBills, smallCosts } from '../harness/scope-bills.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

describe('the pages of anomalies', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let at: Awaited<ReturnType<typeof withAnomalies>>
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    at = await withAnomalies(harness, org)
    expect(at.id).toBeGreaterThan(0)
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: axe, width and a picture; a Viewer judges nothing`, async () => {
      const user = await org.user('Viewer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      for (const [name, path, first] of [
        ['anomaly', `/cost/anomalies/${at.id}`, 'What rose'],
        ['anomalies', '/cost/anomalies', 'AWS S3'],
        ['cost-marks', '/cost', 'Anomalies'],
      ] as const) {
        await page.goto(path)
        await page.locator('main').getByText(first).first().waitFor()
        await settle(page)
        await takePicture(page, `${name}-${view.scheme}-${view.width}`, { fullPage: true })
        await expectNoSideways(page, name)
        await expectAccessible(page, name)
        const judging = page.getByRole('button', { name: /Acknowledge|Expected|anomaly|again/ })
        expect(await judging.count()).toBe(0)
      }
      expect(faults).toEqual([])
      await context.close()
    })

  test('a mark of the chart leads to its anomaly, and its days narrow the page of cost', async () => {
    const user = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost')
    await page.locator('.cost-mark').last().click()
    await page.waitForURL(/\/cost\/anomalies\/\d+$/)
    await page.getByRole('heading', { name: /^AWS / }).waitFor()
    await page.getByRole('link', { name: 'Its cost in these days' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('service')).not.toBeNull()
    await page.getByRole('link', { name: 'Remove the filter Service' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the address in a notice leads to the page, with the figures of the API, from a sign-in too', async () => {
    const user = await org.user('Viewer')
    const { anomaly } = (await user.get(`/api/finops/anomalies/${at.id}`)).json()
    const { page, context } = await visit(browser, harness, { user })
    const path = `/cost/anomalies/${at.id}`
    await page.goto(path)
    const shown = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
    await page.locator('.stat').getByText(shown.format(anomaly.impact)).waitFor()
    const days = page.getByRole('region', { name: 'Days of the anomaly' }).getByRole('row')
    const own = anomaly.days.filter(
      ({ day }: { day: string }) => day >= anomaly.firstDay && day <= anomaly.lastDay,
    )
    expect(await days.count()).toBe(own.length + 1)
    await page.getByRole('region', { name: 'Sub-accounts' }).getByRole('link').first().click()
    await page.waitForURL(new RegExp(`/cost/anomalies/${anomaly.children[0].id}$`))
    await context.close()

    const signedOut = await visit(browser, harness, {})
    await signedOut.page.goto(path)
    await signedOut.page.waitForURL(/\/login/)
    expect(new URL(signedOut.page.url()).searchParams.get('next')).toBe(path)
    await signedOut.context.close()
  })

  test('the runs that may have caused it are named, and none is said to be none', async () => {
    const user = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/cost/anomalies/${at.id}`)
    await page.getByText('No run changed its resources').waitFor()
    await page.route(`**/api/finops/anomalies/${at.id}`, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      body.anomaly.runs = [
        {
          runId: 7,
          pipelineId: 3,
          workspaceId: 2,
          workspaceName: 'shop-production',
          number: 12,
          appliedAt: new Date().toISOString(),
          author: { id: null, label: 'sam@northwind.example' },
          predictedDelta: 310.5,
          because: 'resource',
          rise: 1_900,
        },
      ]
      await route.fulfill({ response, json: body })
    })
    await page.reload()
    const causes = page.getByRole('region', { name: 'Runs that may have caused it' })
    await causes.getByText('sam@northwind.example').waitFor()
    await causes.getByText('$1,900.00').waitFor()
    await causes.getByText('+$310.50').waitFor()
    const link = causes.getByRole('link', { name: 'shop-production #12' })
    expect(await link.getAttribute('href')).toMatch(/^\/pipelines\/3\/runs\/7/)
    await expectAccessible(page, 'the causes of an anomaly')
    expect(faults).toEqual([])
    await context.close()
  })

  test('by keyboard: a verdict with a reason is kept, and the list says so', async () => {
    const user = await org.user('Deployer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/cost/anomalies/${at.other}`)
    await page.getByText('Nobody has judged it yet.').waitFor()
    await page.getByRole('button', { name: 'Expected…' }).focus()
    await page.keyboard.press('Enter')
    await expectAccessible(page, 'a verdict')
    await page.getByLabel('Reason').fill('A load test that was announced.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('A load test that was announced.').waitFor()
    await page.getByText(`by ${user.email}`).waitFor()
    await page.getByRole('link', { name: 'Anomalies', exact: true }).click()
    await page.getByLabel('State').selectOption('Expected')
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe('expected')
    await page.getByRole('link', { name: 'AWS Elastic Compute' }).click()
    await page.getByRole('button', { name: 'Open again…' }).click()
    await page.getByRole('button', { name: 'Open again', exact: true }).click()
    await page.locator('.badge', { hasText: 'Open' }).first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('another organization, or none: there is no such anomaly, and a list without any says why', async () => {
    const stranger = await (await harness.organization()).user('Owner')
    const { page, context, faults } = await visit(browser, harness, { user: stranger })
    await page.goto(`/cost/anomalies/${at.id}`)
    await page.getByRole('heading', { name: 'There is no such anomaly' }).waitFor()
    await page.getByRole('link', { name: 'All anomalies' }).click()
    await page.getByText('No open anomalies').waitFor()
    await expectAccessible(page, 'no anomalies')
    expect(faults).toEqual([])
    await context.close()
  })

  test('the whole spend and a tag are named in the list and on their pages, with a way to their cost', async () => {
    const own = await harness.organization()
    const bills = scopeBills(harness.deps.store, own.id)
    await bills.settings({ tagKey: 'team' })
    const tags = (service: number) => ({ team: service < 20 ? 'a' : 'b' })
    const lines = smallCosts(60, { services: 40, at: { 59: 560 }, tags })
    await bills.load(await bills.bills.source(), lines)
    const user = await own.user('Deployer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/cost/anomalies')
    await page.getByRole('link', { name: 'Tag team=b' }).waitFor()
    await page.getByRole('link', { name: 'All spend' }).click()
    await page.getByRole('heading', { name: 'All spend' }).waitFor()
    await page.getByText('No single service explains this.').waitFor()
    await page.getByText('No run changed a resource that costs more now').waitFor()
    await expectAccessible(page, 'an anomaly of the whole spend')
    await page.getByRole('link', { name: 'Anomalies', exact: true }).first().click()
    await page.getByRole('link', { name: 'Tag team=a' }).click()
    await page.getByRole('link', { name: 'Its cost in these days' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('tagValue')).toBe('a')
    expect(new URL(page.url()).searchParams.get('from')).toBe(dayOfRise)
    expect(faults).toEqual([])
    await context.close()
  })
})

const dayOfRise = '2026-03-01'
