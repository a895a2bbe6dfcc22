import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit } from './browser.ts'
import { named, password } from './people.ts'
import { takePicture } from './picture.ts'

const path = '/organization/settings'

describe('the settings of an organization', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let heir: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner', withPassword: true })
    heir = await named(harness, org, { name: 'Ines Weber', role: 'Org Admin' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const settings = async () => (await heir.get('/api/org/settings')).json()

  test('a save sends what was changed, so it keeps what another person saved meanwhile', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(path)
    await page.getByLabel('Name', { exact: true }).fill('Northwind')
    await page.getByLabel('An approval is asked for at most (hours)').fill('48')
    await heir.patch('/api/org/settings', { anomalyMinimum: 77 })
    await page.getByLabel('Other keys that are read as one tag').fill('team')
    await page.getByRole('button', { name: 'Save settings' }).press('Enter')
    await page.getByText('Line 1 of the other keys is not').waitFor()
    await page.getByLabel('Other keys that are read as one tag').fill('team = Team, squad')
    await page.getByRole('button', { name: 'Save settings' }).press('Enter')
    await page.getByText('Saved.').waitFor()
    await page.getByRole('heading', { name: 'Northwind', level: 1 }).waitFor()
    expect(await settings()).toMatchObject({
      name: 'Northwind',
      approvalExpiryHours: 48,
      anomalyMinimum: 77,
      tagAliases: { team: ['Team', 'squad'] },
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('axe, width and pictures', async () => {
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [360, 1440] as const) {
        const view = { scheme, width }
        const { page, context, faults } = await visit(browser, harness, { user: owner, view })
        await page.goto(path)
        await page.getByRole('button', { name: 'Save settings' }).waitFor()
        await settle(page)
        const where = `organization-settings-${scheme}-${width}`
        await expectAccessible(page, where)
        await expectNoSideways(page, where)
        await takePicture(page, where)
        await page.getByRole('button', { name: 'Transfer the organization…' }).click()
        await expectAccessible(page, `${where}, transfer`)
        expect(faults).toEqual([])
        await context.close()
      }
  })

  test('a Viewer is told who manages them', async () => {
    const viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    const { page, context, faults } = await visit(browser, harness, { user: viewer })
    await page.goto(path)
    await page.getByText('This page is managed by administrators').waitFor()
    expect(await page.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the Owner gives the organization to another person, with their password', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(path)
    await page.getByRole('button', { name: 'Transfer the organization…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const act = dialog.getByRole('button', { name: 'Transfer it' })
    expect(await act.isDisabled()).toBe(true)
    await dialog.getByRole('combobox', { name: 'New Owner' }).focus()
    await page.keyboard.type('Maria')
    await dialog.getByText('none found').waitFor({ state: 'attached' })
    await dialog.getByRole('combobox', { name: 'New Owner' }).fill('Ines')
    await dialog.getByRole('option', { name: 'Ines Weber' }).click()
    await dialog.getByText('Ines Weber becomes the Owner, and you become an Org Admin.').waitFor()
    await dialog.getByLabel('Your password').fill('wrong-password-1')
    await act.press('Enter')
    await dialog.getByRole('alert').waitFor()
    expect((await owner.get('/api/auth/me')).json().user.role).toBe('Owner')
    await dialog.getByLabel('Your password').fill(password)
    await act.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect((await heir.get('/api/auth/me')).json().user.role).toBe('Owner')
    expect((await owner.get('/api/auth/me')).json().user.role).toBe('Org Admin')
    // An Org Admin has nothing to transfer.
    await page
      .getByRole('button', { name: 'Transfer the organization…' })
      .waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })
})
