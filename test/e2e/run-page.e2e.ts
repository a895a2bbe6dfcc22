import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { awaits, isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

const many = {
  'main.tf': 'resource "terraform_data" "item" {\n  count = 215\n  input = count.index\n}\n',
}

// The page of a run says how it ended and what can be done about it.
describe('the page of a run', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let author: TestUser
  let second: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    second = await named(harness, org, { name: 'Ada Byron', role: 'Deployer' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const pathOf = ({ pipelineId }: TestWorkspace, { id }: { id: number }) =>
    `/pipelines/${pipelineId}/runs/${id}`
  const lookAt = async (path: string, picture: string) => {
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user: author, view })
      await page.goto(path)
      await settle(page)
      const where = `${picture}-${view.scheme}-${view.width}`
      await expectAccessible(page, where)
      await expectNoSideways(page, where)
      await takePicture(page, where)
      expect(faults).toEqual([])
      await context.close()
    }
  }
  const inWindow = async (page: Page, name: string) => {
    const box = await page.getByRole('button', { name }).boundingBox()
    const height = page.viewportSize()?.height ?? 0
    return box !== null && box.y >= 0 && box.y + box.height <= height
  }

  test('the actions stay in view on a long plan, and a rejection shows its comment', async () => {
    const workspace = await org.workspace({ by: author, criticality: 'production', files: many })
    const started = await startRun(author, workspace)
    await runUntil(author, { workspace, id: started.id }, awaits)
    const { page, context, faults } = await visit(browser, harness, { user: second })
    await page.goto(pathOf(workspace, started))
    await page.getByText('terraform_data.item[40]', { exact: true }).scrollIntoViewIfNeeded()
    for (const name of ['Approve…', 'Reject…', 'Cancel run…'])
      expect(await inWindow(page, name), name).toBe(true)
    await page.getByRole('button', { name: 'Reject…' }).press('Enter')
    await page.getByLabel('Comment (optional)').fill('The replica must stay until Friday.')
    await page.getByRole('button', { name: 'Reject the plan' }).press('Enter')

    const ending = page.getByRole('region', { name: /^Rejected by ada\.byron@/ })
    await ending.getByText('The replica must stay until Friday.').waitFor()
    await ending.getByText('Nothing was changed.').waitFor()
    expect(await page.getByText('Failed', { exact: true }).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
    await lookAt(pathOf(workspace, started), 'run-rejected')
  })

  test('a run that failed is compared with the last one that went well, at an address of its own', async () => {
    const good = { 'main.tf': 'resource "terraform_data" "one" { input = 1 }\n' }
    const workspace = await org.workspace({ by: author, files: good })
    const first = await startRun(author, workspace)
    await runUntil(author, { workspace, id: first.id }, isOver)
    const bad = { 'main.tf': 'resource "terraform_data" "one" { input = var.missing }\n' }
    await author.put(`${workspace.url}/configuration`, { files: bad })
    const started = await startRun(author, workspace)
    await runUntil(author, { workspace, id: started.id }, isOver)
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(pathOf(workspace, started))
    await page.getByRole('link', { name: 'Compare with run #1' }).press('Enter')
    const diff = page.getByRole('region', { name: 'main.tf, from line 1' })
    await diff.getByText(/input = 1 }/).waitFor()
    await diff.getByText(/input = var.missing }/).waitFor()
    const { pathname, search } = new URL(page.url())
    await page.reload()
    await diff.waitFor()
    expect(faults).toEqual([])
    await context.close()
    await lookAt(pathname + search, 'run-compared')
  })

  test('the checks name the policy with a link to its rule, and mark the resource', async () => {
    const owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    const rego = `package cloudcontrol

deny contains message if {
  some resource in input.plan.resource_changes
  resource.name == "odd"
  message := sprintf("%s has an odd name", [resource.address])
}
`
    const body = { name: 'names of resources', rego, enforcement: 'mandatory', workspaces: 'all' }
    const made = await owner.post('/api/policies', body)
    expect(made.statusCode, made.body).toBe(201)
    const files = {
      'main.tf': 'resource "terraform_data" "odd" {}\nresource "terraform_data" "odd_too" {}\n',
    }
    const workspace = await org.workspace({ by: author, files })
    const started = await startRun(author, workspace)
    await runUntil(author, { workspace, id: started.id }, isOver)
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(pathOf(workspace, started))
    const denied = page.getByRole('region', { name: 'Denied' })
    // One sentence says it, and the checks name the policy.
    expect(await denied.locator('p').first().innerText()).toBe(
      'A mandatory policy denies this plan. Nothing was changed.',
    )
    expect((await denied.innerText()).match(/mandatory policy/gi)).toHaveLength(1)
    await denied.getByRole('link', { name: 'Show the checks' }).waitFor()
    // Of one resource alone: with two marks this would fail.
    await page.getByText('1 finding', { exact: true }).waitFor()
    await page.getByRole('list', { name: 'Stages' }).getByText('denied').waitFor()
    await page.getByRole('link', { name: 'Checks', exact: true }).press('Enter')
    await page.getByText('terraform_data.odd has an odd name').first().waitFor()
    await lookAt(`${pathOf(workspace, started)}?tab=checks`, 'run-checks')
    await page.getByRole('link', { name: 'names of resources' }).press('Enter')
    const name = page.getByLabel('Name', { exact: true })
    await expect.poll(async () => name.inputValue()).toBe('names of resources')
    expect(faults).toEqual([])
    await context.close()
  })
})
