import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { named } from './people.ts'

/** Slow 3G, as the developer tools of Chromium have it: 400 kbit/s, and 2 s until an answer begins. */
const slow = { latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 }

describe('slow 3G', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let path: string
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    const author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    const production = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await approvalWorld(harness).waitingRun(org, author, production)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_runs')
        .where({ id })
        .update({ approvalReasons: ['production'] }),
    )
    path = `/pipelines/${production.pipelineId}/runs/${id}`
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const visitSlowly = async () => {
    const visitor = await visit(browser, harness, { user: owner })
    visitor.page.setDefaultTimeout(60_000)
    const probe = await visitor.context.newCDPSession(visitor.page)
    await probe.send('Network.enable')
    await probe.send('Network.emulateNetworkConditions', { offline: false, ...slow })
    return visitor
  }
  const posts = (page: Page) => {
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
    })
    return sent
  }

  test('the frame stands before the script, and each page says that it loads', async () => {
    const { page, context, faults } = await visitSlowly()
    await page.goto('/workspaces', { waitUntil: 'commit' })
    // Drawn by the page itself; the script is still on its way.
    await page.locator('.first-inside').getByText('Workspaces').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor()
    await settle(page)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await settle(page)
    expect(faults).toEqual([])
    await context.close()
  })

  test('who clicks twice approves once, and sees that it is being sent', async () => {
    const { page, context, faults } = await visitSlowly()
    await page.goto(path)
    await page.getByRole('button', { name: 'Approve…' }).click()
    const sent = posts(page)
    const approve = page.getByRole('dialog').getByRole('button', { name: /^Approv/ })
    await approve.dblclick()
    await expect.poll(async () => approve.getAttribute('aria-busy')).toBe('true')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(sent.filter((one) => one.endsWith('/approve'))).toHaveLength(1)
    await page.getByText('Needs approval').first().waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('what is typed meanwhile stays, and the newest filter is what the list shows', async () => {
    const { page, context, faults } = await visitSlowly()
    await page.goto('/workspaces')
    await settle(page)
    const filter = page.getByLabel('Filter by name')
    await filter.pressSequentially('nothing-has-it', { delay: 40 })
    await page.getByText('No workspace matches').waitFor()
    expect(await filter.inputValue()).toBe('nothing-has-it')
    await filter.fill('')
    await expect.poll(async () => page.locator('main a.row').count(), { timeout: 30_000 }).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })
})
