import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeDay } from '../../scripts/start/demo-cost/date-back-run.ts'
import { fillDemo } from '../../scripts/start/fill-demo.ts'
import { organizations } from '../../store/platform/organizations.ts'
import { users } from '../../store/users/users.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { createTestUser, type TestUser } from '../harness/test-user.ts'
import { expectNoSideways, openBrowser, settle, visit } from './browser.ts'
import { takePicture } from './picture.ts'

describe('what a newcomer sees of the demo', () => {
  let harness: Harness
  let browser: Browser
  let owner: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    const { config, deps } = harness
    const { id: organizationId } = await organizations(deps.store.platform).create('demo', 'demo')
    const email = 'owner@demo.example'
    const { id } = await deps.store.tenant(organizationId, async (tenant) =>
      users(tenant).create({ email, name: 'Owner', role: 'Owner' }),
    )
    owner = await createTestUser(harness.app, deps, { id, organizationId, email })
    await fillDemo({ config, say: () => undefined, signal: new AbortController().signal })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('cost, the anomaly with the run that caused it, a budget of each state, and what nobody owns', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    const show = async (name: string, path: string, seen = 'main') => {
      await page.goto(path)
      await page.locator(seen).first().waitFor()
      await settle(page)
      await takePicture(page, `demo-${name}`)
      await expectNoSideways(page, name)
    }

    await show('cost', '/cost', '.cost-mark')
    await page.getByRole('img', { name: /^Spend by day/ }).waitFor()

    await show('anomalies', '/cost/anomalies')
    await page.getByRole('link', { name: 'AWS Amazon Elastic Compute Cloud' }).first().click()
    const causes = page.getByRole('region', { name: 'Runs that may have caused it' })
    await causes.getByText('changed a resource that costs more now').waitFor()
    await settle(page)
    await takePicture(page, 'demo-anomaly', { fullPage: true })
    await causes.getByRole('link', { name: 'demo-shop #1' }).click()
    await page
      .getByText(`dates this run back to ${causeDay(today)}`)
      .first()
      .waitFor()

    await show('budgets', '/cost/budgets')
    for (const word of ['Within budget', 'Close to the amount', 'Exceeded', 'Not known'])
      await page.getByText(word).first().waitFor()
    await page.getByText('holds runs').first().waitFor()

    await show('unmanaged', '/cost/unmanaged')
    await page.getByRole('row').nth(10).waitFor()

    const { workspaces } = (await owner.get('/api/workspaces')).json()
    const shop = workspaces.find(({ name }: { name: string }) => name === 'demo-shop')
    await show('workspace-cost', `/workspaces/${shop.id}?tab=cost`)
    await page.getByText('terraform_data.database').first().waitFor()
    await show('home', '/')
    expect(faults).toEqual([])
    await context.close()
  })
})

const today = new Date().toISOString().slice(0, 10)
