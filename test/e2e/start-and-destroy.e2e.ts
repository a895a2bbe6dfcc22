import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'
import { startInDialog } from './start-in-dialog.ts'

// Nothing that applies or destroys starts without a question, and what destroys stops after its plan.
describe('a start and a destroy', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let author: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const dialog = (page: Page) => page.getByRole('dialog')
  const runsOf = async ({ url }: TestWorkspace) => (await author.get(`${url}/runs`)).json().runs
  const tabTo = async (page: Page, name: RegExp) => {
    for (let presses = 0; presses < 60; presses += 1) {
      const label: unknown = await page.evaluate(
        `(() => { const e = document.activeElement; return (e.labels?.[0]?.textContent ?? e.getAttribute('aria-label') ?? e.textContent ?? '').trim() })()`,
      )
      const isBody = await page.evaluate('document.activeElement === document.body')
      if (!isBody && name.test(String(label))) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`the keyboard does not get to ${String(name)}`)
  }

  test('by mouse: the default asks after the plan, and its author confirms', async () => {
    const workspace = await org.workspace({ by: author })
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(`/pipelines/${workspace.pipelineId}`)
    await page.getByRole('button', { name: 'Start a run…' }).click()
    expect(await runsOf(workspace), 'the button alone starts nothing').toEqual([])
    expect(await dialog(page).getByRole('radio', { name: 'Plan and ask me' }).isChecked()).toBe(
      true,
    )
    await dialog(page).getByLabel('Message (optional)').fill('Widen the net')
    await dialog(page).getByRole('button', { name: 'Add a variable' }).click()
    await dialog(page).getByLabel('Name of variable 1').fill('word')
    await dialog(page).getByLabel('Value of variable 1').fill('from the dialog')
    await dialog(page).getByRole('button', { name: 'Start run' }).click()
    await page
      .getByRole('heading', { name: 'This run waits until its plan is confirmed' })
      .waitFor()
    await page.getByText('Widen the net').waitFor()
    await page.getByText('from the dialog').first().waitFor()
    await page.getByRole('button', { name: 'Confirm…' }).click()
    await dialog(page).getByRole('button', { name: 'Confirm and apply' }).click()
    await page.getByText('Succeeded').first().waitFor()
    expect(await runsOf(workspace)).toMatchObject([{ message: 'Widen the net' }])
    expect(faults).toEqual([])
    await context.close()
  })

  test('plan only applies nothing; plan and apply asks nothing more', async () => {
    const workspace = await org.workspace({ by: author })
    const { page, context } = await visit(browser, harness, { user: author })
    await page.goto(`/workspaces/${workspace.id}`)
    await startInDialog(page, 'Plan only')
    await page.getByText('Succeeded').first().waitFor()
    expect(await runsOf(workspace)).toMatchObject([{ kind: 'plan' }])
    await page.goto(`/workspaces/${workspace.id}`)
    await startInDialog(page, 'Plan and apply')
    await page.getByText('Succeeded').first().waitFor()
    expect(await runsOf(workspace)).toMatchObject([{ kind: 'apply', approval: null }, {}])
    await context.close()
  })

  test('by keyboard: a destroy needs the name of the workspace, stops after its plan, and is confirmed', async () => {
    const workspace = await org.workspace({ by: author })
    const first = await startRun(author, workspace)
    await runUntil(author, { workspace, id: first.id }, isOver)
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(`/workspaces/${workspace.id}`)
    await page.getByRole('button', { name: 'Start a run…' }).click()
    expect(
      await dialog(page)
        .getByText(/destroy/i)
        .count(),
      'no destroy beside a start',
    ).toBe(0)
    await page.keyboard.press('Escape')

    await page.goto(`/workspaces/${workspace.id}?tab=settings`)
    await page.getByRole('heading', { name: 'Danger' }).waitFor()
    await tabTo(page, /^Destroy all resources…/)
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await tabTo(page, /^Type /)
    await page.keyboard.type(workspace.name.slice(0, -1))
    await page.keyboard.press('Enter')
    expect(await dialog(page).getByRole('button', { name: 'Plan to destroy' }).isDisabled()).toBe(
      true,
    )
    expect(await runsOf(workspace)).toHaveLength(1)
    await page.keyboard.type(workspace.name.slice(-1))
    await page.keyboard.press('Enter')
    await page
      .getByRole('heading', { name: 'This run waits until its plan is confirmed' })
      .waitFor()
    await page.getByText('1 to destroy').first().waitFor({ state: 'attached' })
    await page.keyboard.press('a')
    await tabTo(page, /^Confirm and destroy/)
    await page.keyboard.press('Enter')
    await page.getByText('Succeeded').first().waitFor()
    expect((await author.get(`${workspace.url}/state/resources`)).json().resources).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a workspace of the console confirms what destroys', async () => {
    const { page, context } = await visit(browser, harness, { user: author })
    await page.goto('/workspaces?create=true')
    await dialog(page).getByLabel('Name', { exact: true }).fill('made-here')
    await dialog(page).getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('heading', { name: 'made-here' }).waitFor()
    const { workspaces } = (await author.get('/api/workspaces?q=made-here')).json()
    expect(workspaces).toMatchObject([{ confirm: 'destroys' }])
    await context.close()
  })

  test('axe and width of the dialogs, the settings and a run that waits for a confirmation', async () => {
    const workspace = await org.workspace({ by: author })
    const { id } = await startRun(author, workspace, { confirm: true, message: 'Look first' })
    await runUntil(author, { workspace, id }, (run) => run.awaitingApproval)
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user: author, view })
      const look = async (name: string) => {
        await settle(page)
        await expectNoSideways(page, name)
        await expectAccessible(page, name)
        await takePicture(page, `${name}-${view.scheme}-${view.width}`)
      }
      await page.goto(`/workspaces/${workspace.id}?tab=settings`)
      await look('settings-danger')
      await page.getByRole('button', { name: 'Destroy all resources…' }).click()
      await look('destroy-dialog')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Start a run…' }).click()
      await dialog(page).getByRole('button', { name: 'Add a variable' }).click()
      await look('start-dialog')
      await page.goto(`/pipelines/${workspace.pipelineId}/runs/${id}`)
      await page.getByRole('button', { name: 'Confirm…' }).waitFor()
      await look('run-waits-for-confirmation')
      await page.getByRole('button', { name: 'Confirm…' }).click()
      await look('confirm-dialog')
      expect(faults).toEqual([])
      await context.close()
    }
  })
})
