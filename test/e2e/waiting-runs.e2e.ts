import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'
import { retype } from './retype.ts'
import { textIn } from './text-in.ts'

// A run that waits is found, and nobody loses the right to approve it without a word.
describe('runs that wait', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let author: TestUser
  let runName: string
  let approveUrl: string
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    await named(harness, org, { name: 'Ada Byron', role: 'Deployer' })
    const production = await org.workspace({ by: author, criticality: 'production' })
    const waiting = await approvalWorld(harness).waitingRun(org, author, production)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_runs')
        .where({ id: waiting.id })
        .update({ approvalReasons: ['production'] }),
    )
    approveUrl = waiting.approveUrl
    runName = production.name
    const busy = await org.workspace({ by: author })
    for (let n = 0; n < 12; n += 1) {
      const { run } = (await author.post(`${busy.url}/plan`, {})).json()
      await harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('workspace_runs')
          .where({ id: run.id })
          .update({ phase: 'succeeded', endedAt: new Date() }),
      )
    }
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('Home shows one that twelve newer runs follow: to its approver, and to its author', async () => {
    for (const [user, title] of [
      [owner, 'Waiting for you'],
      [author, 'Waiting for somebody else'],
    ] as const) {
      const { page, context, faults } = await visit(browser, harness, { user })
      await page.goto('/')
      const section = page.locator('section', { has: page.getByRole('heading', { name: title }) })
      await section.getByRole('link', { name: new RegExp(runName) }).waitFor()
      expect(await page.getByRole('link', { name: new RegExp(runName) }).count()).toBe(1)
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('a reviewer asks by keyboard alone, the author answers, and whoever decides is led to both', async () => {
    const runPage = approveUrl.replace('/api', '').replace(/\/approve$/, '')
    const asks = await visit(browser, harness, { user: owner })
    await asks.page.goto(runPage)
    await asks.page.getByRole('link', { name: 'Comments', exact: true }).focus()
    await asks.page.keyboard.press('Enter')
    const field = asks.page.getByLabel('Comment', { exact: true })
    await field.focus()
    await asks.page.keyboard.type('Why is the port open?')
    await asks.page.keyboard.press('Control+Enter')
    const list = asks.page.getByRole('list', { name: 'Comments' })
    await list.getByText('Why is the port open?').waitFor()
    expect(await field.inputValue()).toBe('')

    const answers = await visit(browser, harness, { user: author })
    await answers.page.goto(`${runPage}?tab=comments`)
    await answers.page.getByText('Why is the port open?').waitFor()
    await answers.page.getByLabel('Comment', { exact: true }).fill('For the health check.')
    // What was typed is not lost by a click on another tab.
    await answers.page.getByRole('link', { name: 'Timeline' }).click()
    await answers.page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
    await answers.page.getByRole('button', { name: 'Add the comment' }).click()
    await answers.page.getByText('For the health check.').last().waitFor()

    // It comes to the open page by itself, and the panel of the decision leads to it.
    await list.getByText('For the health check.').waitFor()
    await asks.page.goto(runPage)
    await asks.page.getByRole('link', { name: 'Read 2 comments' }).click()
    await list.getByText('For the health check.').waitFor()
    await expectAccessible(asks.page, 'run-comments')
    await takePicture(asks.page, 'run-comments')
    for (const { context, faults } of [asks, answers]) {
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('the editor of a policy says before the save whose right ends, and that it did', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/organization/policies/new')
    const note = page.getByRole('status').filter({ hasText: 'affects' })
    await note.getByText('1 run that waits').waitFor()
    await note.getByText(`${runName}, Run #1`).waitFor()
    await note.getByText(/You can no longer approve it\. .*Ada Byron.* can approve it/).waitFor()
    expect(await note.getByText(/Maria Lopez/).count()).toBe(0)
    // Nothing was saved by looking.
    const before = (await owner.get(approveUrl.replace(/\/approve$/, ''))).json().run
    expect(before.mayApprove).toBe(true)
    await page.getByLabel('Name', { exact: true }).fill('for production')
    await page.getByLabel('Workspaces').selectOption('production')
    await note.getByText('1 run that waits').waitFor()
    await page.getByLabel('Enforcement').selectOption('advisory')
    await page.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('version 1').waitFor()
    const after = (await owner.get(approveUrl.replace(/\/approve$/, ''))).json().run
    expect(after).toMatchObject({ mayApprove: false })
    await page.getByRole('link', { name: 'Open for production' }).click()
    // A new name changes no judgement.
    await page.getByLabel('Name', { exact: true }).fill('for production alone')
    expect(await page.getByRole('status').filter({ hasText: 'affects' }).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the editor has an address, asks before it loses input, and its buttons lie over nothing', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/organization/policies/new')
    await retype(page.getByLabel('Rego'), 'package cloudcontrol\n\ndeny contains\n')
    await page.getByLabel('Name', { exact: true }).fill('broken')
    await page.getByRole('button', { name: 'Save policy' }).click()
    const fault = page.getByRole('alert').filter({ hasText: 'does not compile' })
    await fault.waitFor()
    const [note, bar] = [await fault.boundingBox(), await page.locator('.bar').boundingBox()]
    expect((note?.y ?? 0) + (note?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
    await page.getByRole('link', { name: 'Workspaces' }).click()
    await page
      .getByRole('dialog')
      .getByText(/not saved/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
    expect(await textIn(page.getByLabel('Rego'))).toContain('deny contains')
    await page.getByRole('link', { name: 'Workspaces' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    await page.goto('/organization/policies/999999')
    await page.getByRole('heading', { name: 'There is no such policy' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('axe and width of Home and of the editor', async () => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      for (const [name, path] of [
        ['home-waiting', '/'],
        ['policy-new', '/organization/policies/new'],
      ] as const) {
        await page.goto(path)
        await page.getByText(runName).first().waitFor()
        await settle(page)
        await expectNoSideways(page, name)
        await expectAccessible(page, name)
        await takePicture(page, `${name}-${view.scheme}-${view.width}`)
      }
      expect(faults).toEqual([])
      await context.close()
    }
  })
})
