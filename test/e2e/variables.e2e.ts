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
    const same = { sensitive: true, phase: 'both', description: 'Of the database' }
    expect(sent).toEqual([same, { ...same, value: 'another-long-secret' }])
    expect(made.value).toBeNull()
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
