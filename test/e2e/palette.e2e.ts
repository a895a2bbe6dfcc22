import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

describe('the command palette and the keys', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let shop: TestWorkspace
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    const author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    shop = await org.workspace({ by: author })
    await author.patch(shop.url, { name: 'shop-staging' })
    await author.post(`${shop.url}/plan`, { message: 'Nightly import' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const field = (page: Page) => page.getByRole('combobox', { name: /^Search pages/ })
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
  const open = async (page: Page) => {
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
  }
  const address = (page: Page) => new URL(page.url()).pathname

  test('Ctrl-K opens a page, a workspace, a run and a person by the keyboard alone', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/account')
    await settle(page)
    await open(page)
    await page.keyboard.type('audit')
    await option(page, 'Audit log').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/organization/audit')
    await open(page)
    await page.keyboard.type('shop')
    await option(page, 'shop-staging').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'shop-staging' }).waitFor()
    await open(page)
    await page.keyboard.type('nightly')
    await option(page, /shop-staging, Plan only/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /Plan only/ }).waitFor()
    await open(page)
    await page.keyboard.type('okafor')
    await option(page, /Sam Okafor/).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/organization?q=*')
    await page.getByText('Sam Okafor').first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('it moves, says how many, does something, and gives the focus back', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/account')
    await settle(page)
    const search = page.getByRole('button', { name: 'Search', exact: true })
    await search.click()
    const first = await field(page).getAttribute('aria-activedescendant')
    expect(await page.locator(`#${first}`).innerText()).toContain('Home')
    await page.keyboard.press('ArrowDown')
    const second = await field(page).getAttribute('aria-activedescendant')
    expect(await page.locator(`#${second}`).innerText()).toContain('Workspaces')
    expect(await page.locator(`#${second}`).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    const last = await field(page).getAttribute('aria-activedescendant')
    expect(await page.locator(`#${last}`).innerText()).toContain('Sign out')
    await page.keyboard.type('no such thing')
    await page.getByText('Nothing found.').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
    expect(await search.and(page.locator(':focus')).count()).toBe(1)
    await open(page)
    await page.keyboard.type('theme dark')
    await page.keyboard.press('Enter')
    await field(page).waitFor({ state: 'detached' })
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await open(page)
    await page.keyboard.type('new work')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor()
    // A dialog asks for something: the palette does not open on top of it.
    await page.keyboard.press('Control+k')
    expect(await field(page).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('j and k walk over a list, c and e act on the page, ? says so', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await org.workspace({ by: owner })
    await page.goto('/workspaces')
    const rows = page.locator('main a.row')
    await expect.poll(async () => rows.count()).toBe(2)
    const focused = async () =>
      page.evaluate<number>(
        `[...document.querySelectorAll('main a.row')].indexOf(document.activeElement)`,
      )
    for (const [key, at] of [
      ['j', 0],
      ['j', 1],
      ['j', 1],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused()).toBe(at)
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'shop-staging' }).waitFor()
    await page.keyboard.press('e')
    await page.waitForURL('**?tab=files')
    await page.keyboard.press('c')
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: /Start a run/ })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    expect(address(page)).toBe('/runs')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Next row of a list').waitFor()
    await page.keyboard.press('Escape')
    // A letter that is typed is no shortcut.
    await page.getByLabel('Search by name or message').fill('')
    await page.keyboard.type('jce?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.goto('/account')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'API reference' }).waitFor()
    await page.getByText(/^Version \d+\.\d+\.\d+$/).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('axe, width and pictures', async () => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      await page.goto('/')
      await settle(page)
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      for (const [name, text] of [
        ['palette', ''],
        ['palette-found', 's'],
        ['palette-none', 'no such thing'],
      ] as const) {
        await field(page).fill(text)
        if (text === 's') await option(page, /Sam Okafor/).waitFor()
        if (name === 'palette-none') await page.getByText('Nothing found.').waitFor()
        await expectNoSideways(page, name)
        await expectAccessible(page, name)
        await takePicture(page, `${name}-${view.scheme}-${view.width}`)
      }
      expect(faults).toEqual([])
      await context.close()
    }
  })
})
