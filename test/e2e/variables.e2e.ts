import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

const key = '-----BEGIN KEY-----\nAAAA\n  BBBB\n-----END KEY-----\n'

describe('variables of a workspace', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let author: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('a value of several lines is kept as it was written, with its description', async () => {
    const workspace = await org.workspace({ by: author })
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(`/workspaces/${workspace.id}?tab=variables`)
    await page.getByRole('button', { name: 'New variable' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Key').fill('certificate')
    await dialog.getByLabel('Value').fill(key)
    await dialog.getByLabel('Description').fill('Of the load balancer, renewed each May')
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('Of the load balancer, renewed each May').waitFor()
    const stored = async () => (await author.get(`${workspace.url}/variables`)).json().variables[0]
    expect(await stored()).toMatchObject({ value: key })
    await page.getByRole('button', { name: 'Change certificate' }).press('Enter')
    expect(await dialog.getByLabel('Value').inputValue()).toBe(key)
    await dialog.getByLabel('Description').fill('')
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('Of the load balancer').waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ value: key, description: '' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('the dialog says which type the files declare, and how its value is written', async () => {
    const files = { 'main.tf': 'variable "zones" {\n  type = list(string)\n}\n' }
    const workspace = await org.workspace({ by: author, files })
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(`/workspaces/${workspace.id}?tab=variables`)
    await page.getByRole('button', { name: 'New variable' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Key').fill('zones')
    await dialog
      .getByText('main.tf declares list(string): written in HCL, as ["a", "b"].')
      .waitFor()
    await dialog.getByLabel('Kind').selectOption('environment')
    await dialog.getByText('One or more lines, without quotes.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a sensitive value that is left empty stays, and what is written replaces it', async () => {
    const workspace = await org.workspace({ by: author })
    const body = { key: 'password', value: 'correct-horse-battery', sensitive: true }
    harness.secrets.note('variable', body.value)
    const made = (await author.post(`${workspace.url}/variables`, body)).json().variable
    const { page, context, faults } = await visit(browser, harness, { user: author })
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postDataJSON())
    })
    await page.goto(`/workspaces/${workspace.id}?tab=variables`)
    const dialog = page.getByRole('dialog')
    for (const value of ['', 'another-long-secret']) {
      await page.getByRole('button', { name: 'Change password' }).click()
      await dialog.getByLabel('Value').fill(value)
      await dialog.getByLabel('Description').fill('Of the database')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    expect(sent).toEqual([{ description: 'Of the database' }, { value: 'another-long-secret' }])
    expect(made.value).toBeNull()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a sensitive variable becomes a shown one only with a new value', async () => {
    const workspace = await org.workspace({ by: author })
    const body = { key: 'password', value: 'correct-horse-battery', sensitive: true }
    harness.secrets.note('variable', body.value)
    await author.post(`${workspace.url}/variables`, body)
    const { page, context, faults } = await visit(browser, harness, { user: author })
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postDataJSON())
    })
    await page.goto(`/workspaces/${workspace.id}?tab=variables`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Change password' }).click()
    await dialog.getByText('The value is not shown.').waitFor()
    await dialog.getByLabel(/^Sensitive/).uncheck()
    await dialog.getByText('A sensitive value is never shown again, so a new one is').waitFor()
    await expectAccessible(page, 'a value that is needed')
    await dialog.getByRole('button', { name: 'Save' }).click()
    expect(await dialog.getByLabel('Value').evaluate((field) => field.matches(':invalid'))).toBe(
      true,
    )
    expect(sent).toEqual([])
    await dialog.getByLabel('Value').fill('from now on for all to see')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('from now on for all to see').waitFor()
    expect(sent).toEqual([{ value: 'from now on for all to see', sensitive: false }])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a sensitive variable of applies is given to plans only with a new value', async () => {
    const workspace = await org.workspace({ by: author })
    const value = 'correct-horse-battery'
    const body = { key: 'API_KEY', value, kind: 'env', sensitive: true, phase: 'apply' }
    harness.secrets.note('variable', value)
    await author.post(`${workspace.url}/variables`, body)
    const { page, context, faults } = await visit(browser, harness, { user: author })
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postDataJSON())
    })
    await page.goto(`/workspaces/${workspace.id}?tab=variables`)
    const dialog = page.getByRole('dialog')
    const givenTo = dialog.getByLabel('Given to')
    const save = dialog.getByRole('button', { name: 'Save' })
    const change = page.getByRole('button', { name: 'Change API_KEY' })
    await change.click()
    await givenTo.selectOption({ label: 'plan only' })
    await dialog.getByText('A sensitive value is not given to other steps').waitFor()
    await givenTo.selectOption({ label: 'apply only' })
    await dialog.getByText('The value is not shown.').waitFor()
    await givenTo.selectOption({ label: 'plan and apply' })
    await dialog.getByText('A sensitive value is not given to other steps').waitFor()
    await save.click()
    expect(await dialog.getByLabel('Value').evaluate((field) => field.matches(':invalid'))).toBe(
      true,
    )
    expect(sent).toEqual([])
    const newValue = 'another-long-secret'
    harness.secrets.note('variable', newValue)
    await dialog.getByLabel('Value').fill(newValue)
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    // Both steps have it already, so one of them keeps it.
    await change.click()
    await givenTo.selectOption({ label: 'apply only' })
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect(sent).toEqual([{ value: newValue, phase: 'both' }, { phase: 'apply' }])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a save takes back nothing of another person, and says what both changed', async () => {
    const workspace = await org.workspace({ by: author })
    const url = `${workspace.url}/variables`
    const made = (await author.post(url, { key: 'region', value: 'eu-west-1' })).json().variable
    const stored = async () => (await author.get(url)).json().variables[0]
    const other = await org.user('Deployer')
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(`/workspaces/${workspace.id}?tab=variables`)
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save' })
    const change = page.getByRole('button', { name: 'Change region' })
    await change.click()
    await dialog.getByLabel('Description').fill('Of the shop')
    await other.patch(`${url}/${made.id}`, { value: 'eu-west-2' })
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ value: 'eu-west-2', description: 'Of the shop' })

    await page.getByText('eu-west-2').waitFor()
    await change.click()
    await dialog.getByLabel('Value').fill('eu-west-3')
    await other.patch(`${url}/${made.id}`, { value: 'eu-north-1' })
    await save.click()
    await dialog.getByText('its value is “eu-north-1” now. Nothing was saved.').waitFor()
    expect(await stored()).toMatchObject({ value: 'eu-north-1' })
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ value: 'eu-west-3' })

    // Back to the first value, which is a change of what is stored by now.
    await page.getByText('eu-west-3').waitFor()
    await change.click()
    await dialog.getByLabel('Value').fill('eu-west-1')
    await other.patch(`${url}/${made.id}`, { value: 'eu-south-1' })
    await save.click()
    await dialog.getByText('its value is “eu-south-1” now. Nothing was saved.').waitFor()
    await dialog.getByLabel('Value').fill('eu-west-3')
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ value: 'eu-west-3' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('axe, width and pictures', async () => {
    const workspace = await org.workspace({ by: author })
    const description = 'Of the load balancer, renewed each May by the platform team'
    await author.post(`${workspace.url}/variables`, { key: 'certificate', value: key, description })
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [360, 1440] as const) {
        const view = { scheme, width }
        const { page, context, faults } = await visit(browser, harness, { user: author, view })
        await page.goto(`/workspaces/${workspace.id}?tab=variables`)
        await settle(page)
        const where = `variables-${scheme}-${width}`
        await expectAccessible(page, where)
        await expectNoSideways(page, where)
        await page.getByRole('button', { name: 'Change certificate' }).click()
        await expectAccessible(page, `${where}, changed`)
        await takePicture(page, where)
        expect(faults).toEqual([])
        await context.close()
      }
  })
})
