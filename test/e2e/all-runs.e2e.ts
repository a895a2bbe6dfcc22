import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { seedApplication } from './application-world.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

describe('the runs of all workspaces', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let author: TestUser
  let production: TestWorkspace
  let shop: TestWorkspace
  let data: TestWorkspace

  const planOf = async ({ url }: TestWorkspace, message?: string): Promise<number> =>
    (await author.post(`${url}/plan`, message === undefined ? {} : { message })).json().run.id
  const change = async (id: number, to: object) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_runs').where({ id }).update(to),
    )

  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    production = await org.workspace({ by: author, criticality: 'production' })
    shop = await org.workspace({ by: author })
    data = await org.workspace({ by: author })
    for (const [{ url }, name] of [
      [production, 'shop-production'],
      [shop, 'shop-staging'],
      [data, 'data-warehouse'],
    ] as const)
      await author.patch(url, { name })
    const { id } = await approvalWorld(harness).waitingRun(org, author, production)
    await change(id, {
      approvalReasons: ['production'],
      summary: { add: 2, change: 1, destroy: 3 },
    })
    const failed = await planOf(data, 'Nightly import')
    await change(failed, { phase: 'failed', reason: 'plan_errored', endedAt: new Date() })
    const done = await planOf(shop)
    await change(done, { phase: 'succeeded', endedAt: new Date() })
    // Queued: one that a worker plans ends when the worker has interrupted it.
    for (let n = 1; n <= 3; n += 1)
      await change(await planOf(shop, `Release 2026.${n}`), { phase: 'queued' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const rows = (page: Page) => page.locator('main a.row')
  const expectRows = async (page: Page, count: number, words?: RegExp) => {
    await expect.poll(async () => rows(page).count()).toBe(count)
    if (words)
      await expect.poll(async () => rows(page).filter({ hasText: words }).count()).toBe(count)
  }
  const query = (page: Page) => new URL(page.url()).searchParams

  test('a number of Home opens its runs, and Back returns to the filter', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/')
    await page.locator('.stat', { hasText: 'approval' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await expectRows(page, 1, /shop-production.*Needs approval|Needs approval.*shop-production/)
    await page.getByLabel('State').selectOption('Failed')
    await expectRows(page, 1, /data-warehouse.*Nightly import/)
    await rows(page).first().click()
    await page.getByRole('heading', { name: /Plan only/ }).waitFor()
    await page.goBack()
    await expectRows(page, 1, /Nightly import/)
    expect(await page.getByLabel('State').inputValue()).toBe('failed')
    await page.getByRole('link', { name: 'Clear all filters' }).click()
    await expectRows(page, 6)
    await page.getByLabel('Search by name or message').fill('RELEASE')
    await expectRows(page, 3, /Release/)
    await page.getByLabel('Order').selectOption('oldest first')
    await expect.poll(async () => rows(page).first().innerText()).toMatch(/Release 2026\.1/)
    expect(Object.fromEntries(query(page))).toEqual({ q: 'RELEASE', sort: 'oldest' })
    await page.reload()
    await expectRows(page, 3)
    await expect.poll(async () => rows(page).first().innerText()).toMatch(/Release 2026\.1/)
    expect(faults).toEqual([])
    await context.close()
  })

  test('by the keyboard: a workspace is chosen by its name, and given up again', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/runs')
    await expectRows(page, 6)
    const field = page.getByRole('combobox', { name: 'Workspace' })
    await field.focus()
    await page.keyboard.type('shop')
    await page.getByRole('option', { name: 'shop-staging' }).waitFor()
    await expect.poll(async () => page.locator('[role=option]').count()).toBe(2)
    await page.keyboard.press('ArrowDown')
    const active = await field.getAttribute('aria-activedescendant')
    const name = await page.locator(`[id="${active}"]`).innerText()
    await page.keyboard.press('Enter')
    await expect.poll(async () => field.inputValue()).toBe(name)
    await expectRows(page, name === 'shop-staging' ? 4 : 1, new RegExp(name))
    expect(query(page).get('workspace')).toMatch(/^\d+$/)
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'data-warehouse' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.locator('[role=option]').count()).toBe(0)
    expect(await field.inputValue()).toBe(name)
    await field.fill('')
    await expectRows(page, 6)
    expect(query(page).has('workspace')).toBe(false)
    await page.goto(`/runs?author=${owner.id}`)
    await page.getByText('No run matches').waitFor()
    const author = page.getByRole('combobox', { name: 'Author' })
    await expect.poll(async () => author.inputValue()).toBe('Maria Lopez')
    await page.goto('/runs?state=nonsense&origin=toString&workspace=x&from=2026-99-01&sort=up')
    await expectRows(page, 6)
    expect(faults).toEqual([])
    await context.close()
  })

  test('axe, width and pictures', async () => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      const look = async (name: string) => {
        await settle(page)
        await expectNoSideways(page, name)
        await expectAccessible(page, name)
        await takePicture(page, `${name}-${view.scheme}-${view.width}`)
      }
      await page.goto('/runs')
      await expectRows(page, 6)
      await look('runs')
      await page.getByLabel(/^Select all/).check()
      await page.getByRole('combobox', { name: 'Workspace' }).fill('s')
      await page.locator('[role=option]').first().waitFor()
      await look('runs-picked')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: /^Cancel \d/ }).click()
      await look('runs-cancel')
      await page.goto('/runs?state=canceled')
      await page.getByText('No run matches').waitFor()
      await look('runs-none')
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('a Viewer picks none', async () => {
    const viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    const { page, context } = await visit(browser, harness, { user: viewer })
    await page.goto('/runs')
    await expectRows(page, 6)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await context.close()
  })

  test('the failures of the last day are those that Home counts', async () => {
    // It began long ago and failed today; the others began and failed long ago, or were not decided in time.
    const long = new Date(Date.now() - 3 * 86_400_000)
    const late = await planOf(data, 'Waited for days')
    await change(late, {
      phase: 'failed',
      reason: 'plan_errored',
      createdAt: long,
      endedAt: new Date(),
    })
    const old = await planOf(data, 'Failed days ago')
    await change(old, { phase: 'failed', reason: 'plan_errored', createdAt: long, endedAt: long })
    const expired = await planOf(data, 'Nobody decided')
    await change(expired, { phase: 'failed', reason: 'approval_expired', endedAt: new Date() })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/')
    const number = page.locator('.stat', { hasText: 'failed in the last day' }).getByRole('link')
    expect(await number.innerText()).toBe('2')
    await number.click()
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await expectRows(page, 2, /Nightly import|Waited for days/)
    expect(Object.fromEntries(query(page))).toEqual({ state: 'failed', ended: 'day' })
    expect(await page.getByLabel('Ended').inputValue()).toBe('day')
    await page.getByLabel('Ended').selectOption('in the last 7 days')
    await expectRows(page, 3)
    await page.goto('/runs?ended=century')
    await expectRows(page, 9)
    await page.getByLabel('State').selectOption('Expired')
    await expectRows(page, 1, /Nobody decided/)
    expect(faults).toEqual([])
    await context.close()
  })

  test('several are canceled at once, and one that ended meanwhile is named', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto('/runs?q=Release')
    await expectRows(page, 3)
    await page.getByLabel(/^Select all/).focus()
    await page.keyboard.press('Space')
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Cancel 3…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('shop-staging, Plan only').first().waitFor()
    const { runs } = (await author.get('/api/runs?q=Release')).json()
    await change(runs[0].id, { phase: 'succeeded', endedAt: new Date() })
    await dialog.getByLabel('Comment').fill('Freeze')
    await dialog.getByRole('button', { name: 'Cancel 3 runs' }).click()
    await page.getByText('2 runs canceled. 1 was not:').waitFor()
    await page.getByText('shop-staging, Plan only: it is over already.').waitFor()
    await expect.poll(async () => rows(page).filter({ hasText: 'Canceled' }).count()).toBe(2)
    expect(faults).toEqual([])
    await context.close()
  })

  test('a waiting plan is rejected from the list', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/runs?state=mine')
    await page.getByLabel('Select Run #1 of shop-production').check()
    await page.getByRole('button', { name: 'Reject 1…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject 1 run' }).click()
    await page.getByText('1 run rejected.').waitFor()
    await page.getByText('No run matches').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a release that waits is found from Home and in the list, and leads to its decision', async () => {
    const { id: workspaceId } = production
    await seedApplication(harness, author, { workspaceId, hosts: 1 })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    const row = /app-\w+ Run #2 to shop-production/
    await page.goto('/')
    const section = page.locator('section', { has: page.getByText('Waiting for you') })
    await section.getByRole('link', { name: row }).waitFor()
    await page.locator('.stat', { hasText: 'approval' }).getByRole('link').click()
    await expectRows(page, 1, row)
    await settle(page)
    await expectAccessible(page, 'a release in the list of runs')
    await rows(page).first().click()
    await page.getByRole('heading', { name: /Run #2/ }).waitFor()
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    await page.goto('/runs')
    await page.getByLabel('Search by name or message').fill('app-')
    await expectRows(page, 2, /app-/)
    await page.getByLabel(/^Select Run #2 of app-/).check()
    await page.getByRole('button', { name: 'Reject 1…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('A rejected release is not deployed').waitFor()
    await dialog.getByRole('button', { name: 'Reject 1 run' }).click()
    await page.getByText('1 run rejected.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
