import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'
import { seedWorkspaces } from './seed-workspaces.ts'

describe('the list of 5,000 workspaces', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    await org.workspace({ by: owner })
    await seedWorkspaces(harness.deps.store, org.id, { authorId: owner.id, count: 5_000 })
    const other = await harness.organization()
    const stranger = await other.user('Owner')
    await other.workspace({ by: stranger })
    await seedWorkspaces(harness.deps.store, other.id, { authorId: stranger.id, count: 50 })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const rows = (page: Page) => page.locator('main a.row')
  const first = async (page: Page) => rows(page).first().innerText()
  const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
  const ready = async (page: Page) => expect.poll(async () => rows(page).count()).toBe(60)

  test('orders and filters are in the address, and Back returns to them', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/workspaces')
    await ready(page)
    await page.getByRole('button', { name: 'When' }).click()
    await expect.poll(async () => query(page)).toEqual({ sort: '-lastRunAt' })
    await page.getByLabel('Last run', { exact: true }).selectOption('Failed')
    await page.getByLabel('Criticality', { exact: true }).selectOption('production')
    await expect
      .poll(async () => {
        const found = await rows(page).allInnerTexts()
        return found.length > 0 && found.every((text) => /production[\s\S]*Failed/.test(text))
      })
      .toBe(true)
    await page.getByLabel('Filter by name').fill('team-15-')
    await expect.poll(async () => first(page)).toMatch(/team-15-/)
    const search = { sort: '-lastRunAt', state: 'failed', criticality: 'production', q: 'team-15-' }
    await expect.poll(async () => query(page)).toEqual(search)
    const shown = await rows(page).count()
    await rows(page).first().click()
    await page.getByRole('heading', { level: 1, name: /team-15-/ }).waitFor()
    await page.goBack()
    await expect.poll(async () => rows(page).count()).toBe(shown)
    expect(query(page)).toEqual(search)
    expect(await page.getByLabel('Last run', { exact: true }).inputValue()).toBe('failed')
    await page.getByLabel('Filter by name').fill('there is none')
    await page.getByText('No workspace matches').waitFor()
    await page.getByRole('link', { name: 'Clear all filters' }).click()
    await ready(page)
    expect(query(page)).toEqual({})
    await page.goto('/workspaces?state=toString&sort=up&criticality=7&view=theirs')
    await ready(page)
    expect(faults).toEqual([])
    await context.close()
  })

  test('by the keyboard alone: a favorite, a view with a name, and the recent ones', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/workspaces')
    await ready(page)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('j', 'Shift+Tab', 'Enter')
    await page.locator('.star[aria-pressed=true]').waitFor()
    const name = (await page.locator('main .row-title').first().innerText()).trim()
    await page.getByRole('link', { name: 'Favorites' }).focus()
    await press('Enter')
    await expect.poll(async () => rows(page).count()).toBe(1)
    expect(await first(page)).toContain(name)
    await page.reload()
    await expect.poll(async () => rows(page).count()).toBe(1)
    await press('j', 'Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await press('g', 'w')
    await ready(page)
    await page.getByRole('link', { name: 'Recent' }).focus()
    await press('Enter')
    await expect.poll(async () => rows(page).count()).toBe(1)
    await page.goto('/workspaces?state=failed&sort=-lastRunAt')
    await page.getByRole('button', { name: 'Save this view…' }).focus()
    await press('Enter')
    await page.getByRole('dialog').getByText('kept in this browser').waitFor()
    await page.keyboard.type('To mend')
    await press('Enter')
    const view = page.getByRole('link', { name: 'To mend' })
    expect(await view.getAttribute('aria-current')).toBe('page')
    await page.goto('/workspaces')
    await ready(page)
    await view.focus()
    await press('Enter')
    await expect.poll(async () => query(page)).toEqual({ state: 'failed', sort: '-lastRunAt' })
    await page.getByRole('button', { name: 'Remove this view' }).focus()
    await press('Enter')
    await view.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a view that is shared by the keyboard is in the list of a second person, until it is not shared', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/workspaces?state=failed&criticality=production')
    await page.getByRole('button', { name: 'Save this view…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Production to mend')
    await dialog.getByLabel('Only you').focus()
    await page.keyboard.press('ArrowDown')
    await dialog.getByLabel('Name').focus()
    await page.keyboard.press('Enter')
    await page.getByText('Shared by').waitFor()
    const reader = await named(harness, org, { name: 'Ann Reader', role: 'Viewer' })
    const second = await visit(browser, harness, { user: reader })
    await second.page.goto('/workspaces')
    await second.page.getByRole('link', { name: 'Production to mend' }).focus()
    await second.page.keyboard.press('Enter')
    await second.page.getByText(`Shared by ${owner.email}`).waitFor()
    expect(query(second.page)).toEqual({ state: 'failed', criticality: 'production' })
    expect(await second.page.getByRole('button', { name: 'Stop sharing…' }).count()).toBe(0)
    // The name is taken for all, in whatever case.
    await page.goto('/workspaces?state=failed')
    await page.getByRole('button', { name: 'Save this view…' }).click()
    await dialog.getByLabel('Name').fill('production to mend')
    await dialog.getByLabel('All members').check()
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await dialog.getByText('There is a shared view Production to mend already.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Production to mend' }).click()
    await page.getByRole('button', { name: 'Stop sharing…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click()
    await page.getByRole('link', { name: 'Production to mend' }).waitFor({ state: 'detached' })
    // A name that only looks like another one shows what it hides.
    const { view } = (
      await owner.post('/api/workspace-views', { name: 'A\u200bll', search: { q: 'x' } })
    ).json()
    await page.reload()
    await page.getByRole('link', { name: 'A\\u{200b}ll' }).waitFor()
    await owner.delete(`/api/workspace-views/${view.id}`)
    await second.page.reload()
    await ready(second.page)
    expect(await second.page.getByRole('link', { name: 'Production to mend' }).count()).toBe(0)
    expect([...faults, ...second.faults]).toEqual([])
    await second.context.close()
    await context.close()
  })

  test('another person in the same browser has lists of their own', async () => {
    const { page, context } = await visit(browser, harness, { user: owner })
    await page.goto('/workspaces')
    await ready(page)
    await page.locator('.star').first().click()
    await page.locator('.star[aria-pressed=true]').waitFor()
    const other = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    await context.addCookies([
      { name: 'cc_session', value: other.cookie, url: new URL(page.url()).origin, httpOnly: true },
    ])
    await page.goto('/workspaces?view=favorites')
    await page.getByText('No favorites yet').waitFor()
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
      await page.goto('/workspaces')
      await ready(page)
      await page.locator('.star').nth(1).click()
      await look('workspaces')
      await page.goto('/workspaces?sort=-lastRunAt&state=failed')
      await page.getByRole('button', { name: 'Save this view…' }).click()
      await look('workspaces-save-view')
      await page.keyboard.type('To mend')
      await page.keyboard.press('Enter')
      await look('workspaces-view')
      await page.goto('/workspaces?view=recent')
      await page.getByText('No recent workspaces').waitFor()
      await look('workspaces-recent')
      await page.goto('/pipelines')
      await page.getByText('No pipelines of your own yet').waitFor()
      await look('pipelines-own')
      await page.getByLabel('Show the pipelines of workspaces').check()
      await expect.poll(async () => rows(page).count()).toBe(200)
      await look('pipelines-managed')
      expect(faults).toEqual([])
      await context.close()
    }
  })
})
