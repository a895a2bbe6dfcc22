import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { runInPhase } from '../api/workspaces/run-in-phase.ts'
import { withAnomalies, withSpend, withUnmanaged } from '../harness/cost-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const dollars = (amount: number, digits = 2) =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount)

describe('cost on Home, on a workspace and on a run', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let workspace: TestWorkspace
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await org.user('Owner')
    workspace = await org.workspace({ by: owner, criticality: 'production' })
    await withSpend(harness, org)
    await withAnomalies(harness, org)
    for (const [name, amountMonthly] of [
      ['Everything', 100],
      ['All of AWS', 1e9],
    ] as const)
      await owner.post('/api/finops/budgets', { name, amountMonthly, scopeKind: 'all' })
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: Home says what the month costs and what asks for attention`, async () => {
      const viewer = await org.user('Viewer')
      const { cost } = (await viewer.get('/api/console/data')).json()
      const { page, context, faults } = await visit(browser, harness, { user: viewer, view })
      await page.goto('/')
      await page.getByText(dollars(cost.monthToDate, 0)).waitFor()
      await page.getByText('Everything: budget exceeded').waitFor()
      // The first days of a month are not complete, and are compared with nothing.
      const compared = page.getByText('against the same days of last month')
      expect(await compared.count()).toBe(cost.monthComplete === null ? 0 : 1)
      expect(await page.getByText('All of AWS').count()).toBe(0)
      await settle(page)
      await takePicture(page, `home-cost-${view.scheme}-${view.width}`, { fullPage: true })
      await expectNoSideways(page, 'home')
      await expectAccessible(page, 'home')
      await page.getByRole('link', { name: '2 open anomalies' }).click()
      await page.getByRole('link', { name: 'AWS S3' }).waitFor()
      expect(faults).toEqual([])
      await context.close()
    })

  test('Home of an organization without cost has no line of it', async () => {
    const other = await harness.organization()
    const { page, context } = await visit(browser, harness, { user: await other.user('Owner') })
    await page.goto('/')
    await page.getByText('Create the first workspace').waitFor()
    expect(await page.getByRole('heading', { name: 'Cost' }).count()).toBe(0)
    await context.close()
  })

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: a workspace has a tab with its cost`, async () => {
      const place = await heldWorkspace()
      const { page, context, faults } = await visit(browser, harness, { user: place.viewer, view })
      await page.goto(`/workspaces/${place.workspace.id}`)
      const tabs = page.getByRole('navigation', { name: 'Parts of this workspace' })
      await tabs.getByRole('link', { name: 'Cost' }).click()
      await page.getByRole('img', { name: /^Spend by day/ }).waitFor()
      const { total, resources } = (await place.viewer.get(`${place.workspace.url}/cost`)).json()
      expect(total).toBeGreaterThan(0)
      await page.locator('.stat').getByText(dollars(total)).waitFor()
      await page.getByText(resources[0].cloudId).first().waitFor()
      await settle(page)
      await takePicture(page, `workspace-cost-${view.scheme}-${view.width}`, { fullPage: true })
      expect(await tabs.locator('[aria-current="page"]').allInnerTexts()).toEqual(['Cost'])
      // A narrow row of tabs is scrolled to the current one.
      const tab = await tabs.getByRole('link', { name: 'Cost' }).boundingBox()
      expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(view.width)
      await expectNoSideways(page, 'cost of a workspace')
      await expectAccessible(page, 'cost of a workspace')
      await page.getByLabel('Period').selectOption('Last 12 months')
      await expect.poll(() => new URL(page.url()).searchParams.get('from')).not.toBeNull()
      await page.reload()
      await page.locator('.stat').getByText(dollars(total)).waitFor()
      await page.getByRole('link', { name: 'By service, region and tag' }).click()
      await page.getByText('Workspace:').waitFor()
      expect(faults).toEqual([])
      await context.close()
    })

  test('a workspace without cost says when there is some', async () => {
    const { page, context } = await visit(browser, harness, { user: await org.user('Viewer') })
    await page.goto(`/workspaces/${workspace.id}?tab=cost`)
    await page.getByText('No cost in this period').waitFor()
    await expectAccessible(page, 'no cost of a workspace')
    await context.close()
  })

  test('a run that a budget holds says which and why, and what it costs a month', async () => {
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const { id } = await runInPhase(harness.deps, place, 'awaiting_approval')
    const message =
      'The budget Everything of 100.00 USD a month would be reached: 3100.00 USD are expected this month and the plan adds 40.00 USD a month. A second person must approve the plan.'
    const budget = { id: 1, name: 'Everything' }
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      const { pipelineId } = workspace
      await db('pipeline_runs').insert({
        id,
        organizationId,
        pipelineId,
        number: 1,
        workspaceRunId: id,
      })
      for (const [position, name] of ['plan', 'approve', 'apply'].entries())
        await db('stages').insert({
          organizationId,
          workspaceRunId: id,
          name,
          position,
          state: ['succeeded', 'waiting', 'pending'][position],
        })
      await db('workspace_runs')
        .where({ id })
        .update({
          approvalReasons: ['budget'],
          cost: JSON.stringify({ before: 10, after: 50, delta: 40, currency: 'USD', coverage: {} }),
          gates: JSON.stringify([
            {
              kind: 'cost',
              result: 'warn',
              findings: [{ level: 'warn', message, budget, breaks: true }],
            },
          ]),
        })
    })
    for (const view of views) {
      const user = await org.user('Deployer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(`/pipelines/${workspace.pipelineId}/runs/${id}`)
      const decision = page.getByRole('region', { name: /approval/ })
      await decision.getByText('It needs a second person because of a budget.').waitFor()
      await decision.getByText(message).waitFor()
      await page.getByRole('complementary').getByText('+$40.00').waitFor()
      await settle(page)
      await takePicture(page, `run-held-${view.scheme}-${view.width}`, { fullPage: true })
      await expectNoSideways(page, 'a run that a budget holds')
      await expectAccessible(page, 'a run that a budget holds')
      expect(faults).toEqual([])
      await context.close()
    }
  })

  /** A workspace that holds three resources of a bill. */
  async function heldWorkspace() {
    const place = await harness.organization()
    const held = await place.workspace({ by: await place.user('Owner') })
    await harness.deps.store.tenant(place.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_resources')
        .insert(
          ['bucket-00000', 'bucket-00004', 'bucket-00008'].map((bucket) => ({
            organizationId: place.id,
            workspaceId: held.id,
            cloudId: `arn:aws:s3:::${bucket}`,
            address: `module.storage.aws_s3_bucket.this["${bucket}"]`,
            type: 'aws_s3_bucket',
            provider: 'aws',
            attributes: '{}',
            heldFrom: '2026-01-01',
            heldTo: null,
          })),
        ),
    )
    await withUnmanaged(harness, place)
    return { workspace: held, viewer: await place.user('Viewer') }
  }
})
