import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { openBrowser, visit } from './browser.ts'
import { focused } from './focused.ts'
import { named, password } from './people.ts'
import { textIn } from './text-in.ts'

// Faults that people met, each held by a test.
describe('the console', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner', withPassword: true })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const open = async (path: string, user = owner): Promise<Page> => {
    const { page } = await visit(browser, harness, { user })
    await page.goto(path)
    return page
  }

  test('names a run by its number, in the state and in the audit log', async () => {
    const other = await org.workspace({ by: owner })
    // So that ids and numbers differ.
    await startRun(owner, other)
    const workspace = await org.workspace({ by: owner })
    const { id } = await startRun(owner, workspace)
    await runUntil(owner, { workspace, id }, isOver)
    const page = await open(`/workspaces/${workspace.id}?tab=state`)
    await page.getByText('by run #1').first().waitFor()
    await page.goto('/organization/audit?event=workspace.state_written')
    await page.getByText('run #1').first().waitFor()
    expect(await page.getByText(`run ${id}`, { exact: true }).count()).toBe(0)
  })

  test('marks the tab of an address that names it', async () => {
    const { id } = await org.workspace({ by: owner })
    const page = await open(`/workspaces/${id}?tab=runs`)
    const tabs = page.getByRole('navigation', { name: 'Parts of this workspace' })
    await tabs.waitFor()
    expect(await tabs.locator('.tab.current').allTextContents()).toEqual(['Runs'])
    expect(await tabs.locator('[aria-current=page]').allTextContents()).toEqual(['Runs'])
    // The tabs beside the current one stay where they are.
    const left = async () => (await tabs.getByRole('link', { name: 'Git' }).boundingBox())?.x
    const before = await left()
    await tabs.getByRole('link', { name: 'Files' }).click()
    await tabs.locator('.tab.current', { hasText: 'Files' }).waitFor()
    expect(await left()).toBe(before)
  })

  test('shows the tab of an address on a narrow screen, where the row of tabs scrolls', async () => {
    const { id } = await org.workspace({ by: owner })
    const view = { scheme: 'light', width: 360 } as const
    const { page, context } = await visit(browser, harness, { user: owner, view })
    await page.goto(`/workspaces/${id}?tab=settings`)
    const tab = page.getByRole('link', { name: 'Settings', exact: true }).and(page.locator('.tab'))
    await tab.waitFor()
    const sides = async () => {
      const { x = NaN, width = NaN } = (await tab.boundingBox()) ?? {}
      return x >= 0 && x + width <= 360
    }
    await expect.poll(sides).toBe(true)
    await context.close()
  })

  test('keeps the filter of a list on the way back', async () => {
    const { name } = await org.workspace({ by: owner })
    await org.workspace({ by: owner })
    const page = await open('/workspaces')
    await page.getByRole('link', { name: new RegExp(name) }).waitFor()
    await page.getByLabel('Filter by name').fill(name)
    await page.getByText('1 found').waitFor()
    await page.getByRole('link', { name: new RegExp(name) }).click()
    await page.getByRole('heading', { name }).waitFor()
    await page.goBack()
    await page.getByText('1 found').waitFor()
    expect(await page.getByLabel('Filter by name').inputValue()).toBe(name)
    await page.getByRole('navigation', { name: 'Main' }).getByText('Workspaces').click()
    await page.getByText('1 found').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Filter by name').inputValue()).toBe('')
  })

  test('keeps the focus after “Begin with main.tf” and after a save', async () => {
    const made = await owner.post('/api/workspaces', { name: 'focus-here' })
    const page = await open(`/workspaces/${made.json().workspace.id}?tab=files`)
    await page.getByRole('button', { name: 'Begin with main.tf' }).focus()
    await page.keyboard.press('Enter')
    expect(await textIn(page.getByLabel('Text of main.tf'))).toContain('required_version')
    expect(await focused(page)).toBe('Text of main.tf')
    await page.keyboard.type('# more\n')
    await page.getByRole('button', { name: 'Save as a new version' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Version 1.').waitFor()
    expect(await focused(page)).toBe('Save as a new version')
    // It has nothing to save, and says so to nobody by saving again.
    await page.keyboard.press('Enter')
    await page.waitForTimeout(300)
    expect(await page.getByText('Version 2.').count()).toBe(0)
  })

  test('clears the error of a field that is gone: single sign-on', async () => {
    const page = await open('/organization/sso')
    await page.getByRole('button', { name: 'Set up an identity provider' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Metadata', { exact: true }).fill('<no')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Single values').check()
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('says that the service answers again', async () => {
    const { id } = await org.workspace({ by: owner })
    const page = await open(`/workspaces/${id}?tab=settings`)
    await page.getByLabel('Name', { exact: true }).fill('another-name')
    await page.route('**/api/**', async (route) => route.abort())
    await page.getByRole('button', { name: 'Save settings' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'The service does not answer' })
    await alert.waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByText('It answers again: try once more.').waitFor()
    expect(await page.getByText('The service does not answer.').count()).toBe(0)
  })

  test('takes a person who is signed in past /login, and never to another site', async () => {
    const page = await open('/login')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.goto('/login?next=%2Fpipelines')
    await page.getByRole('heading', { name: 'Pipelines' }).waitFor()
    for (const next of ['//evil.example', '/login', '/login?next=/login', '/\\evil.example']) {
      await page.goto(`/login?next=${encodeURIComponent(next)}`)
      await page.getByRole('heading', { name: 'Home' }).waitFor()
    }
    await page.goto('/login?signedout=1')
    await page.getByLabel('Email').waitFor()
    const { page: stranger } = await visit(browser, harness)
    await stranger.goto('/nope')
    await stranger.getByLabel('Email').fill(owner.email)
    await stranger.getByLabel('Password').fill(password)
    await stranger.keyboard.press('Enter')
    await stranger.getByRole('heading', { name: 'There is no such page' }).waitFor()
  })

  test('keeps its frame and has a title at an address that leads nowhere', async () => {
    const page = await open('/nope')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(1)
    expect(await page.title()).toBe('There is no such page · cloud-control')
  })

  test('lists each token once', async () => {
    await owner.post('/api/auth/tokens', { name: 'my-own', role: 'Viewer', expiresInDays: 7 })
    const deployer = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    await deployer.post('/api/auth/tokens', { name: 'of-sam', role: 'Viewer', expiresInDays: 7 })
    const page = await open('/organization/tokens')
    await page.getByRole('row', { name: /of-sam/ }).waitFor()
    // The own ones are another list of the API, which may come later.
    await page
      .getByRole('row', { name: /my-own/ })
      .first()
      .waitFor()
    expect(await page.getByRole('row', { name: /my-own/ }).count()).toBe(1)
  })
})
