import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applicationPipeline } from '../harness/application-run.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, visit } from './browser.ts'
import { named, password } from './people.ts'
import { retype } from './retype.ts'
import { textIn } from './text-in.ts'

// Two people at one thing: a save takes back nothing that its author has not seen.
describe('two people', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  /** As the browser does when its network is back: all that is shown is asked for anew. */
  const lookAgain = async (page: Page) => page.evaluate(`dispatchEvent(new Event('online'))`)
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const saved = async (page: Page) => {
    await button(page, 'Save settings').click()
    await page.getByText('Saved.').waitFor()
  }

  test('the second save of the organization’s settings keeps what another person saved', async () => {
    const [user, other] = [await org.user('Owner'), await org.user('Owner')]
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/organization/settings')
    await page.getByLabel('Name', { exact: true }).fill('Northwind')
    await other.patch('/api/org/settings', { buildNetwork: 'none', planApproval: 'none' })
    await saved(page)
    const builds = page.getByLabel('Builds of applications')
    await expect.poll(async () => builds.inputValue()).toBe('none')
    await page.getByLabel('An approval is asked for at most (hours)').fill('48')
    await saved(page)
    expect((await other.get('/api/org/settings')).json()).toMatchObject({
      name: 'Northwind',
      approvalExpiryHours: 48,
      buildNetwork: 'none',
      planApproval: 'none',
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('what is typed into settings stays, also during a save, and the other’s change is said', async () => {
    const [user, other] = [await org.user('Owner'), await org.user('Owner')]
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/organization/settings')
    const name = page.getByLabel('Name', { exact: true })
    const hours = page.getByLabel('An approval is asked for at most (hours)')
    const smallest = page.getByLabel('Smallest anomaly a day')
    const note = page.getByText('Somebody changed these settings meanwhile.')
    await name.fill('Southwind')
    await other.patch('/api/org/settings', { anomalyMinimum: 33 })
    await lookAgain(page)
    await note.waitFor()
    await expectAccessible(page, 'settings that were changed meanwhile')
    expect(await name.inputValue()).toBe('Southwind')

    const held = Promise.withResolvers<void>()
    await page.route('**/api/org/settings', async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    const answer = page.waitForResponse((one) => one.request().method() === 'PATCH')
    await button(page, 'Save settings').click()
    await hours.fill('72')
    held.resolve()
    await answer
    await page.getByRole('heading', { name: 'Southwind', level: 1 }).waitFor()
    expect(await hours.inputValue()).toBe('72')
    await note.waitFor()
    await saved(page)
    await expect.poll(async () => smallest.inputValue()).toBe('33')
    expect((await other.get('/api/org/settings')).json()).toMatchObject({
      name: 'Southwind',
      approvalExpiryHours: 72,
      anomalyMinimum: 33,
    })

    await name.fill('Nobody')
    await other.patch('/api/org/settings', { anomalyMinimum: 44 })
    await lookAgain(page)
    await button(page, 'Show theirs').click()
    expect([await name.inputValue(), await smallest.inputValue()]).toEqual(['Southwind', '44'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('what is typed into a workspace’s settings stays, also during a save, and so does the focus', async () => {
    const [user, other] = [await org.user('Owner'), await org.user('Owner')]
    const { id, url } = await org.workspace({ by: user })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=settings`)
    const labels = page.getByLabel('Labels')
    const save = button(page, 'Save settings')
    const hasFocus = async (one: typeof save) =>
      one.evaluate((element) => element.matches(':focus'))
    const held = Promise.withResolvers<void>()
    await page.route(`**${url}`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    const answer = page.waitForResponse((one) => one.request().method() === 'PATCH')
    await page.getByLabel('Description').fill('of the shop')
    await save.click()
    await labels.fill('zone=a\nteam=web')
    await other.patch(url, { unpriced: 'allow' })
    held.resolve()
    await answer
    await expect.poll(async () => save.getAttribute('aria-busy')).toBe('false')
    expect(await labels.inputValue()).toBe('zone=a\nteam=web')
    expect(await hasFocus(labels)).toBe(true)
    await page.getByText('Somebody changed these settings meanwhile.').waitFor()
    await save.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Saved.').waitFor()
    expect(await hasFocus(save)).toBe(true)
    const unpriced = page.getByLabel('Resources without a price')
    await expect.poll(async () => unpriced.inputValue()).toBe('allow')
    expect((await other.get(url)).json().workspace).toMatchObject({
      description: 'of the shop',
      labels: { team: 'web', zone: 'a' },
      unpriced: 'allow',
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('the second save of an application’s settings keeps a guard that another person set', async () => {
    const [user, other] = [await org.user('Owner'), await org.user('Owner')]
    const workspace = await org.workspace({ by: user })
    const id = await applicationPipeline(harness.deps, org.id, workspace.id)
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/pipelines/${id}?tab=settings`)
    const minutes = page.getByLabel('Minutes to wait for a first agent')
    await minutes.fill('45')
    await other.patch(`/api/pipelines/${id}`, { sbom: 'required' })
    await saved(page)
    const materials = page.getByLabel('Bill of materials')
    await expect.poll(async () => materials.inputValue()).toBe('required')
    await minutes.fill('50')
    await saved(page)
    const stored = async () => (await other.get(`/api/pipelines/${id}`)).json().pipeline
    expect(await stored()).toMatchObject({ sbom: 'required', agentWaitMinutes: 50 })

    // Of the triggers too, of which a save names those that changed.
    await page.getByLabel('Only if the push changes one of these paths').fill('src/**')
    await other.patch(`/api/pipelines/${id}`, { triggers: { tags: ['v*'] } })
    await saved(page)
    const tags = page.getByLabel('A tag that fits one of these patterns')
    await expect.poll(async () => tags.inputValue()).toBe('v*')
    await tags.fill('release-*')
    await other.patch(`/api/pipelines/${id}`, { triggers: { push: false } })
    await saved(page)
    const triggers = { push: false, paths: ['src/**'], tags: ['release-*'] }
    expect(await stored()).toMatchObject({ triggers })

    // A choice by keyboard alone is no event of the form.
    await page.getByRole('combobox', { name: 'Target workspace (optional)' }).press('ArrowDown')
    await page.getByRole('option', { name: workspace.name }).waitFor()
    await page.keyboard.press('Enter')
    await other.patch(`/api/pipelines/${id}`, { sbom: 'optional' })
    await lookAgain(page)
    await page.getByText('Somebody changed these settings meanwhile.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a variable of an application: a secret stays one until it gets a new value', async () => {
    const user = await org.user('Owner')
    const id = await applicationPipeline(harness.deps, org.id)
    const value = 'the-token-of-a-registry'
    harness.secrets.note('variable', value)
    const variable = { key: 'TOKEN', value, phase: 'build', sensitive: true }
    await user.post(`/api/pipelines/${id}/variables`, variable)
    const { page, context, faults } = await visit(browser, harness, { user })
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postDataJSON())
    })
    await page.goto(`/pipelines/${id}?tab=variables`)
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save' })
    await page.getByRole('button', { name: 'Change TOKEN' }).click()
    await dialog.getByLabel('Given to').selectOption({ label: 'hooks on the hosts' })
    await dialog.getByText('A sensitive value is not given to other steps').waitFor()
    await dialog.getByLabel('Given to').selectOption({ label: 'steps of a build' })
    await dialog.getByLabel(/^Sensitive/).uncheck()
    await dialog.getByText('A sensitive value is never shown again').waitFor()
    await save.click()
    expect(await dialog.getByLabel('Value').evaluate((one) => one.matches(':invalid'))).toBe(true)
    expect(sent).toEqual([])
    await dialog.getByLabel('Value').fill('shown')
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('shown', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change TOKEN' }).click()
    await dialog.getByLabel('Given to').selectOption({ label: 'hooks on the hosts' })
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect(sent).toEqual([{ value: 'shown', sensitive: false }, { phase: 'deploy' }])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a rule that another person saved meanwhile is shown, and merged', async () => {
    const [user, other] = [await org.user('Org Admin'), await org.user('Org Admin')]
    const rego = (first: string, last: string) =>
      `package cloudcontrol\n\n# ${first}\n\ndeny contains "no" if { input.run.destroy }\n\n# ${last}\n`
    const policy = {
      name: 'two people',
      rego: rego('one', 'two'),
      enforcement: 'mandatory',
      workspaces: 'all',
    }
    const { id } = (await user.post('/api/policies', policy)).json().policy
    const url = `/api/policies/${id}`
    const stored = async () => (await user.get(url)).json().policy
    const { page, context, faults } = await visit(browser, harness, { user })
    const text = page.getByLabel('Rego', { exact: true })
    await page.goto(`/organization/policies/${id}`)
    await retype(text, rego('mine', 'two'))
    await page.getByLabel('Name', { exact: true }).fill('renamed')
    await other.patch(url, { rego: rego('one', 'theirs'), enforcement: 'advisory' })
    await button(page, 'Save policy').click()
    await page.getByText('Nothing was written.').waitFor()
    const merge = page.getByRole('region', { name: 'Changes by two people' })
    await merge.getByText('Another person saved version 2').waitFor()
    await merge.getByText('# theirs').waitFor()
    await expectAccessible(page, 'a policy that was overtaken')
    expect(await textIn(text)).toBe(rego('mine', 'two'))
    expect(await stored()).toMatchObject({ name: 'two people', rego: rego('one', 'theirs') })
    await button(page, 'Merge into the editor').click()
    expect(await textIn(text)).toBe(rego('mine', 'theirs'))
    expect(await page.getByLabel('Enforcement').inputValue()).toBe('advisory')
    await button(page, 'Save policy').click()
    await page.getByText('version 3').waitFor()
    const merged = { name: 'renamed', rego: rego('mine', 'theirs'), enforcement: 'advisory' }
    expect(await stored()).toMatchObject(merged)

    // Who changes the name alone says nothing of the rule.
    await page.getByRole('link', { name: 'Open renamed' }).click()
    await page.getByLabel('Name', { exact: true }).fill('named again')
    await other.patch(url, { rego: rego('one', 'at last') })
    await button(page, 'Save policy').click()
    await page.getByText('version 5').waitFor()
    expect(await stored()).toMatchObject({ name: 'named again', rego: rego('one', 'at last') })
    expect(faults).toEqual([])
    await context.close()
  })

  test('another person signs in over the page: it stays covered until the browser left it', async () => {
    const people = ['Ada Byron', 'Mary Ward'].map(async (name) =>
      named(harness, org, { name, role: 'Deployer', withPassword: true }),
    )
    const [first, second] = await Promise.all(people)
    if (!first || !second) throw new Error('nobody is here')
    const workspace = await org.workspace({ by: first })
    const { page, context, faults } = await visit(browser, harness, { user: first })
    await page.goto(`/workspaces/${workspace.id}?tab=files`)
    await retype(page.getByLabel('Text of main.tf'), '# mine\n')
    await first.post('/api/auth/logout')
    await button(page, 'Save as a new version').click()
    await page.getByText('Your session is over.').waitFor()
    const isHome = ({ pathname }: URL) => pathname === '/'
    // The browser does not get there.
    await page.route(isHome, async (route) => route.abort('aborted'))
    const left = page.waitForRequest((request) => isHome(new URL(request.url())))
    await page.getByLabel('Email').fill(second.email)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await left
    await page.waitForTimeout(300)
    expect(await page.locator('.cover').isVisible()).toBe(true)
    expect(await page.locator('.account-name').textContent()).toBe('Ada Byron')
    await page.unroute(isHome)
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    await page.waitForURL(isHome)
    await page.locator('.account-name').getByText('Mary Ward').waitFor()
    expect(await page.locator('.cover').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })
})
