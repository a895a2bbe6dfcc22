import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { freezeAnswer } from './freeze-answer.ts'
import { named } from './people.ts'
import { press, tabTo, write } from './tab-to.ts'
import { textIn } from './text-in.ts'

// Only keys are pressed, and each control is reached by Tab from where the page begins.
describe('by the keyboard alone', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let author: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const change = async (id: number, to: object) =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_runs').where({ id }).update(to),
    )
  const waitingRun = async () => {
    const production = await org.workspace({ by: author, criticality: 'production' })
    const { id } = await approvalWorld(harness).waitingRun(org, author, production)
    await change(id, { approvalReasons: ['production'] })
    return `/pipelines/${production.pipelineId}/runs/${id}`
  }
  /** A page of this person, and what is to be empty at the end. */
  const open = async (user: TestUser, path: string) => {
    const visitor = await visit(browser, harness, { user })
    await visitor.page.goto(path)
    await settle(visitor.page)
    return visitor
  }
  const dialogOpens = async (page: Page) => page.locator('dialog[open]').waitFor()
  const dialogCloses = async (page: Page) =>
    page.locator('dialog[open]').waitFor({ state: 'detached' })
  const palette = async (page: Page, text: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor()
    await page.keyboard.type(text)
    await page.getByRole('option', { name: new RegExp(`^${text}`) }).waitFor()
    await page.keyboard.press('Enter')
  }

  test('a run is rejected with a comment', async () => {
    const { page, context, faults } = await open(owner, await waitingRun())
    await press(page, 'Reject…')
    await dialogOpens(page)
    await write(page, /^Comment/, 'Not in the freeze.')
    await press(page, 'Reject the plan')
    await page.getByText('Not in the freeze.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('several runs are canceled together', async () => {
    const workspace = await org.workspace({ by: author })
    for (let n = 1; n <= 2; n += 1) {
      const { run } = (await author.post(`${workspace.url}/plan`, { message: `Keys ${n}` })).json()
      await change(run.id, { phase: 'queued' })
    }
    const { page, context, faults } = await open(author, '/runs?q=Keys')
    await press(page, /^Select all/, 'Space')
    await press(page, 'Cancel 2…')
    await dialogOpens(page)
    await write(page, /^Comment/, 'Freeze')
    await press(page, 'Cancel 2 runs')
    await page.getByText('2 runs canceled.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a variable is made, changed and deleted', async () => {
    const workspace = await org.workspace({ by: author })
    const { page, context, faults } = await open(
      author,
      `/workspaces/${workspace.id}?tab=variables`,
    )
    const stored = async () => (await author.get(`${workspace.url}/variables`)).json().variables
    await press(page, 'New variable')
    await dialogOpens(page)
    await page.keyboard.type('region')
    await write(page, 'Value', 'eu-west-1')
    await press(page, 'Save')
    await dialogCloses(page)
    expect(await stored()).toMatchObject([{ key: 'region', value: 'eu-west-1' }])
    await press(page, 'Change region')
    await dialogOpens(page)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('eu-north-1')
    await press(page, 'Save')
    await dialogCloses(page)
    expect(await stored()).toMatchObject([{ key: 'region', value: 'eu-north-1' }])
    await press(page, 'Delete region')
    await dialogOpens(page)
    await press(page, 'Delete')
    await page.getByText('No variables yet').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a workspace is locked with a reason, and unlocked', async () => {
    const workspace = await org.workspace({ by: author })
    const { page, context, faults } = await open(author, `/workspaces/${workspace.id}`)
    await press(page, /^Lock/)
    await dialogOpens(page)
    await page.keyboard.type('moving the network')
    await press(page, /^Lock/)
    await dialogCloses(page)
    await page.getByText('moving the network').waitFor()
    await press(page, /^Unlock/)
    await dialogOpens(page)
    await press(page, /^Unlock/)
    await page.getByText('moving the network').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('two people in two browsers change one file: the second merges, and restores a version', async () => {
    const files = { 'main.tf': '# one\n\n# two\n\n# three\n' }
    const { id, url } = await org.workspace({ by: owner, files })
    const path = `/workspaces/${id}?tab=files`
    const [first, second] = [await open(owner, path), await open(author, path)]
    // The second learns of the first one's version by a save, and not by the poll of the workspace.
    const seeAgain = await freezeAnswer(second.page, { user: author, url })
    const saves = async (page: Page, written: string) => {
      await tabTo(page, 'Text of main.tf')
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText(written)
      // Tab indents in the editor; after Escape it leaves.
      await page.keyboard.press('Escape')
      await press(page, 'Save as a new version')
    }
    await saves(first.page, '# one of Maria\n\n# two\n\n# three\n')
    await first.page.getByText('Version 2.').waitFor()
    await saves(second.page, '# one\n\n# two\n\n# three of Sam\n')
    await second.page.getByText('Nothing was written.').waitFor()
    await seeAgain()
    await press(second.page, 'Merge into the editor')
    const merged = '# one of Maria\n\n# two\n\n# three of Sam\n'
    await expect.poll(async () => textIn(second.page.getByLabel('Text of main.tf'))).toBe(merged)
    await second.page.keyboard.press('Escape')
    await press(second.page, 'Save as a new version')
    await second.page.getByText('Version 3.').waitFor()

    await press(second.page, 'History')
    await press(second.page, 'Restore version 1')
    await dialogOpens(second.page)
    await press(second.page, 'Restore it')
    await second.page.getByRole('link', { name: 'Version 4' }).waitFor()
    expect([...first.faults, ...second.faults]).toEqual([])
    await first.context.close()
    await second.context.close()
  })

  test('from the palette: an invitation, a policy and a run', async () => {
    const workspace = await org.workspace({ by: owner })
    await owner.patch(workspace.url, { name: 'keys-only' })
    const { page, context, faults } = await open(owner, '/')
    await palette(page, 'Invite a person')
    await dialogOpens(page)
    await page.keyboard.type('ada@keys.example')
    await write(page, 'Name', 'Ada Byron')
    await press(page, 'Invite')
    await page.getByRole('row', { name: /Ada Byron/ }).waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.goto('/')
    await settle(page)
    await palette(page, 'New policy')
    await page.getByLabel('Name', { exact: true }).waitFor()
    await write(page, 'Name', 'by keys')
    await tabTo(page, 'Rego')
    await page.keyboard.press('Escape')
    await press(page, 'Save policy')
    await page.getByText('by keys').first().waitFor()
    await page.goto('/')
    await settle(page)
    await palette(page, 'Start a run of keys-only')
    await dialogOpens(page)
    await page.getByRole('heading', { name: /^Start a run/ }).waitFor()
    await press(page, 'Start run')
    await page.getByRole('heading', { name: /Run #1/ }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a price, and the settings of the organization', async () => {
    const { page, context, faults } = await open(owner, '/organization/settings')
    await write(page, 'Name', 'Northwind by keys')
    await press(page, /^Save/)
    await page.getByText('Saved.').waitFor()
    await page.goto('/cost/prices')
    await settle(page)
    await press(page, 'New price')
    await dialogOpens(page)
    await page.keyboard.type('aws')
    await write(page, 'Resource type', 'aws_instance')
    await write(page, 'Price a month', '12.5')
    await write(page, 'Currency', 'USD')
    await press(page, 'Add price')
    await dialogCloses(page)
    await page.getByText('aws_instance').first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
