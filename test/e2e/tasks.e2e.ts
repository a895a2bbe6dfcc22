import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { openBrowser, visit } from './browser.ts'
import { named } from './people.ts'
import { startInDialog } from './start-in-dialog.ts'
import { textIn } from './text-in.ts'
import { retype } from './retype.ts'

// What each page is for, done on it.
describe('each page by its own task', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
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
  const dialog = (page: Page) => page.getByRole('dialog')
  /** The console asks first, in a dialog of its own. */
  const confirm = async (page: Page, act: string) => {
    await dialog(page).getByRole('button', { name: act, exact: true }).click()
    await dialog(page).waitFor({ state: 'detached' })
  }

  test('home → workspaces → files → run: the first infrastructure of an empty organization', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: 'Create the first workspace' }).click()
    await dialog(page).getByLabel('Name', { exact: true }).fill('first-one')
    await dialog(page).getByRole('button', { name: 'Create workspace' }).click()
    await retype(page.getByLabel('Text of main.tf'), 'output "a" { value = 1 }\n')
    await page.getByRole('button', { name: '+ New file' }).click()
    await dialog(page).getByLabel('Name').fill('main.tf')
    await page.keyboard.press('Enter')
    await dialog(page).getByText('There is a file main.tf already.').waitFor()
    await dialog(page).getByLabel('Name').fill('network.tf')
    await confirm(page, 'Add it')
    await retype(
      page.getByLabel('Text of network.tf'),
      'resource "terraform_data" "net" { input = "10.0.0.0/16" }\n',
    )
    await page.getByText('Not saved.').waitFor()
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.getByText('Version 1.').waitFor()
    await startInDialog(page, 'Plan and apply')
    await page.getByText('Succeeded').first().waitFor()
    await page.getByRole('link', { name: 'Plan', exact: true }).click()
    await page.getByText('terraform_data.net').waitFor()
    await page.getByText('"10.0.0.0/16"').first().waitFor()
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByText('ended this run as succeeded').waitFor()
    // A moment is shown in the viewer's zone, and in UTC where one points at it.
    expect(await page.locator('time').first().getAttribute('title')).toMatch(/ UTC$/)
  })

  test('variables: one is added, changed and deleted', async () => {
    const { id } = await org.workspace({ by: owner })
    const page = await open(`/workspaces/${id}?tab=variables`)
    await page.getByRole('button', { name: 'New variable' }).click()
    await dialog(page).getByLabel('Key').fill('word')
    await dialog(page).getByLabel('Value').fill('first value')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('first value').waitFor()
    await page.getByRole('button', { name: 'Change word' }).click()
    await dialog(page).getByLabel('Value').fill('a secret')
    await dialog(page)
      .getByLabel(/^Sensitive/)
      .check()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('•••• sensitive, written only').waitFor()
    expect(await page.getByText('a secret').count()).toBe(0)
    await page.getByRole('button', { name: 'Delete word' }).click()
    await dialog(page)
      .getByText(/Nobody can read its value again/)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('•••• sensitive, written only').waitFor()
    await page.getByRole('button', { name: 'Delete word' }).click()
    await confirm(page, 'Delete')
    await page.getByText('No variables yet').waitFor()
  })

  test('state: an earlier version is restored, and outputs are shown', async () => {
    const workspace = await org.workspace({ by: owner })
    const page = await open(`/workspaces/${workspace.id}`)
    for (const word of ['one', 'two']) {
      await owner.put(`${workspace.url}/configuration`, {
        files: { 'main.tf': `output "word" { value = "${word}" }\n` },
      })
      await startInDialog(page, 'Plan and apply')
      await page.getByText('Succeeded').first().waitFor()
      await page.goto(`/workspaces/${workspace.id}?tab=state`)
      await page.getByText(`"${word}"`).waitFor()
    }
    await page
      .getByRole('button', { name: /^Restore version \d+$/ })
      .last()
      .click()
    await confirm(page, 'Restore')
    await page.getByText('"one"').waitFor()
  })

  test('lock: taken with a reason, seen by another person, and given back', async () => {
    const { id } = await org.workspace({ by: owner })
    const page = await open(`/workspaces/${id}`)
    await page.getByRole('button', { name: 'Lock…' }).click()
    await dialog(page).getByLabel('Reason (optional)').fill('moving by hand')
    await dialog(page).getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByText(/Locked by .*: moving by hand/).waitFor()
    // A forced unlock would be refused to a Deployer, so it is not offered.
    const deployer = await open(`/workspaces/${id}`, await org.user('Deployer'))
    await deployer.getByText(/moving by hand/).waitFor()
    expect(await deployer.getByRole('button', { name: 'Unlock…' }).count()).toBe(0)
    const other = await open(`/workspaces/${id}`, await org.user('SRE · Cloud Admin'))
    await other.getByText(/moving by hand/).waitFor()
    await other.getByRole('button', { name: 'Unlock…' }).click()
    await dialog(other)
      .getByText(/A forced unlock is recorded/)
      .waitFor()
    await page.getByRole('button', { name: 'Unlock…' }).click()
    await dialog(page).getByRole('button', { name: 'Unlock', exact: true }).click()
    await page.getByRole('button', { name: 'Lock…' }).waitFor()
  })

  test('settings: a guard is changed by whoever may, and closed to a Deployer', async () => {
    const { id } = await org.workspace({ by: owner })
    const page = await open(`/workspaces/${id}?tab=settings`)
    await page.getByLabel(/^Monthly cost limit/).fill('125')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved.').waitFor()
    const other = await open(`/workspaces/${id}?tab=settings`, await org.user('Deployer'))
    const limit = other.getByLabel(/^Monthly cost limit/)
    await limit.waitFor()
    expect([await limit.inputValue(), await limit.isDisabled()]).toEqual(['125', true])
    await page.getByRole('button', { name: 'Delete workspace…' }).click()
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
  })

  test('pipelines: one is made over a workspace, run, and deleted', async () => {
    const { name } = await org.workspace({ by: owner })
    const page = await open('/pipelines')
    await page.getByRole('button', { name: 'New pipeline' }).click()
    await dialog(page).getByRole('radio', { name: 'Infrastructure' }).check()
    await dialog(page).getByLabel('Name', { exact: true }).fill('nightly')
    await dialog(page).getByLabel('Workspace').fill('there is none')
    await dialog(page).getByRole('button', { name: 'Create pipeline' }).click()
    await dialog(page)
      .getByText(/Choose one of the list/)
      .waitFor()
    await dialog(page).getByLabel('Workspace').fill(name)
    await dialog(page).getByRole('button', { name: 'Create pipeline' }).click()
    await startInDialog(page, 'Plan and apply')
    await page.getByText('Succeeded').first().waitFor()
    await page.goto('/pipelines')
    await page.getByRole('link', { name: /nightly/ }).click()
    await page.getByRole('link', { name: /Run #1/ }).waitFor()
    await page.getByRole('button', { name: 'Delete pipeline…' }).click()
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'New pipeline' }).waitFor()
    await page.getByRole('link', { name: /nightly/ }).waitFor({ state: 'detached' })
  })

  test('policies: a fault is shown at its line, then the policy holds', async () => {
    const page = await open('/organization/policies')
    await page.getByRole('link', { name: 'New policy' }).click()
    await page.getByLabel('Name', { exact: true }).fill('no destroy')
    const text = page.getByLabel('Rego')
    const good = await textIn(text)
    await retype(text, good.replace('some resource in', 'some resource inn'))
    await page.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('The policy does not compile:').waitFor()
    expect(await page.locator('.fault-line').first().textContent()).toMatch(/^4 │ .*inn/)
    await retype(text, good)
    await page.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('version 1').waitFor()
    await page.getByRole('link', { name: 'Open no destroy' }).click()
    await page.getByRole('button', { name: 'Delete policy…' }).click()
    await confirm(page, 'Delete')
    await page.getByText('No policies yet').waitFor()
  })

  test('people and roles: one is invited, given another role, and deleted', async () => {
    const page = await open('/organization')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await dialog(page).getByLabel('Email').fill('new@northwind.example')
    await dialog(page).getByLabel('Name', { exact: true }).fill('Nadia New')
    await dialog(page).getByRole('button', { name: 'Invite', exact: true }).click()
    // The service of this test sends no mail.
    const link = dialog(page).locator('.secret-once')
    const first = await link.textContent()
    expect(first).toContain('/invitations/accept#')
    await dialog(page).getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('button', { name: 'Invite again: Nadia New' }).click()
    await page.getByRole('button', { name: 'Make a new invitation' }).click()
    await expect.poll(async () => link.textContent()).toContain('/invitations/accept#')
    expect(await link.textContent()).not.toBe(first)
    await dialog(page).getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('button', { name: 'Change Nadia New' }).click()
    await dialog(page).getByLabel('Role').selectOption('Deployer')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row', { name: /Nadia New/ })
    await row.getByText('Deployer').waitFor()
    await row.getByRole('button', { name: 'Change Nadia New' }).click()
    await dialog(page).getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Roles' }).click()
    await page.getByRole('columnheader', { name: /Owner/ }).getByText('you').waitFor()
  })

  test('tokens: shown once, then revoked', async () => {
    const page = await open('/organization/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog(page).getByLabel('Name', { exact: true }).fill('from a script')
    // Two clicks at once make one token: the other would be one that nobody was shown.
    await page.evaluate(`{
      const button = document.querySelector('dialog [type="submit"]')
      button.click()
      button.click()
    }`)
    const token = await dialog(page).locator('.secret-once').textContent()
    expect(token).toMatch(/^cc_pat_/)
    const made = await owner.get('/api/auth/tokens')
    expect(made.json().tokens.map(({ name }: { name: string }) => name)).toEqual(['from a script'])
    // No stray key takes away what is shown this once.
    await page.keyboard.press('Escape')
    await confirm(page, 'I have it')
    const me = { url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } }
    expect((await harness.app.inject(me)).statusCode).toBe(200)
    await page.getByRole('button', { name: 'Revoke from a script', exact: true }).click()
    await confirm(page, 'Revoke')
    await page.getByText('You have no API tokens').waitFor()
    expect((await harness.app.inject(me)).statusCode).toBe(401)
  })
})
