import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit, type View } from './browser.ts'
import { focused } from './focused.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

const files = {
  'main.tf': `variable "region" {
  type = string
}
resource "terraform_data" "network" { input = var.region }
`,
}

// A run that failed for a missing variable: its page leads to a run that applies.
describe('a run that fails for a missing variable', () => {
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

  const failedRun = async (): Promise<{ workspace: TestWorkspace; path: string }> => {
    const workspace = await org.workspace({ by: author, files })
    const { id } = await startRun(author, workspace)
    const run = await runUntil(author, { workspace, id }, isOver)
    expect(run.state).toBe('failed')
    return { workspace, path: `/pipelines/${workspace.pipelineId}/runs/${id}` }
  }
  const valueOf = async ({ url }: TestWorkspace) =>
    (await author.get(`${url}/variables`)).json().variables

  test('by mouse: the variable is set, and a new run has applied, in five clicks', async () => {
    const { workspace, path } = await failedRun()
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(path)
    const clicks: string[] = []
    const click = async (role: 'button' | 'radio', name: string) => {
      clicks.push(name)
      await page.getByRole(role, { name, exact: true }).click()
    }
    const problem = page.getByRole('list', { name: 'Errors and warnings' })
    await problem.getByText('No value for required variable').first().waitFor()
    await click('button', 'Set variable region…')
    // The name is known, so the value has the focus.
    expect(await focused(page)).toBe('Value')
    await page.keyboard.type('eu-central-1')
    await click('button', 'Save')
    await page.getByText('Variable region is set. Run again.').waitFor()
    await click('button', 'Run again…')
    await click('radio', 'Plan and apply')
    await click('button', 'Start run')
    await page.getByRole('heading', { name: 'Run #2' }).waitFor()
    await page.getByText('Succeeded').first().waitFor()
    console.log(`a failing run is green after ${clicks.length} clicks: ${clicks.join(', ')}`)
    expect(clicks.length).toBeLessThanOrEqual(5)
    expect(await valueOf(workspace)).toMatchObject([
      { key: 'region', value: 'eu-central-1', kind: 'terraform', sensitive: false },
    ])
    expect(faults).toEqual([])
    await context.close()
  })

  test('by keyboard alone: the same', async () => {
    const { path } = await failedRun()
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(path)
    await page.getByRole('button', { name: 'Set variable region…' }).press('Enter')
    await page.keyboard.type('eu-west-1')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('Variable region is set. Run again.').waitFor()
    await page.getByRole('button', { name: 'Run again…' }).press('Enter')
    await page.getByRole('radio', { name: 'Plan and ask me' }).press('ArrowDown')
    expect(await page.getByRole('radio', { name: 'Plan and apply' }).isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Start run' }).press('Enter')
    await page.getByRole('heading', { name: 'Run #2' }).waitFor()
    await page.getByText('Succeeded').first().waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('axe, width and pictures of the dialog', async () => {
    const { path } = await failedRun()
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [360, 1440] as const) {
        const view: View = { scheme, width }
        const { page, context } = await visit(browser, harness, { user: author, view })
        await page.goto(path)
        await page.getByRole('button', { name: 'Set variable region…' }).click()
        await settle(page)
        const where = `set-variable-${scheme}-${width}`
        await expectAccessible(page, where)
        await expectNoSideways(page, where)
        await takePicture(page, where)
        await context.close()
      }
  })
})
