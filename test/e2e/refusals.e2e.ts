import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, visit } from './browser.ts'
import { named } from './people.ts'
import { retype } from './retype.ts'

// What the service refuses, and what the console offers instead.
describe('a refusal', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let deployer: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    deployer = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const open = async (path: string, user: TestUser): Promise<Page> => {
    const { page } = await visit(browser, harness, { user })
    await page.goto(path)
    return page
  }
  const applied = async () => {
    const workspace = await org.workspace({ by: owner })
    const { id } = await startRun(owner, workspace)
    await runUntil(owner, { workspace, id }, isOver)
    return workspace
  }

  test('a workspace with resources: they are left only after its name was typed', async () => {
    const { id, name, url } = await applied()
    const page = await open(`/workspaces/${id}?tab=settings`, owner)
    await page.getByRole('button', { name: 'Delete workspace…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByText('The state still has resources.').waitFor()
    const leave = dialog.getByRole('button', { name: 'Leave resources and delete' })
    expect(await leave.isDisabled()).toBe(true)
    await expectAccessible(page, 'leaving resources')
    await dialog.getByLabel(`Type ${name}`).fill(name)
    await leave.click()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    expect((await owner.get(url)).statusCode).toBe(404)
  })

  test('a workspace with resources: a Deployer is told which role may leave them', async () => {
    const { id } = await applied()
    const page = await open(`/workspaces/${id}?tab=settings`, deployer)
    await page.getByRole('button', { name: 'Delete workspace…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByText('requires the role SRE · Cloud Admin').waitFor()
    expect(await dialog.getByRole('button', { name: /Leave resources/ }).count()).toBe(0)
  })

  test('a workspace without files: the dialog leads to them', async () => {
    const { workspace } = (await owner.post('/api/workspaces', { name: 'without-files' })).json()
    const page = await open(`/workspaces/${workspace.id}`, owner)
    await page.getByRole('button', { name: 'Start a run…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start run' }).click()
    await page.getByRole('dialog').getByText('This workspace has no files yet.').waitFor()
    await page.getByRole('dialog').getByRole('link', { name: 'Add files' }).click()
    await page.getByRole('button', { name: 'Begin with main.tf' }).waitFor()
  })

  test('a lost answer of a destroy: closing the dialog does not make a second run', async () => {
    const { id, name, url } = await applied()
    const page = await open(`/workspaces/${id}?tab=settings`, owner)
    let lost = false
    await page.route('**/apply', async (route) => {
      if (lost) return route.continue()
      lost = true
      await route.fetch()
      return route.abort()
    })
    const dialog = page.getByRole('dialog')
    const destroy = async () => {
      await page.getByRole('button', { name: 'Destroy all resources…' }).click()
      await dialog.getByLabel(`Type ${name}`).fill(name)
      await dialog.getByRole('button', { name: 'Plan to destroy' }).click()
    }
    await destroy()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await destroy()
    await page.waitForURL(/\/runs\/\d+$/)
    expect((await owner.get(`${url}/runs`)).json().runs).toHaveLength(2)
  })

  test('a Deployer is not offered to release the lock of another person', async () => {
    const workspace = await org.workspace({ by: owner })
    await owner.post(`${workspace.url}/lock`, { reason: 'by hand' })
    const page = await open(`/workspaces/${workspace.id}`, deployer)
    await page.getByText('by hand').first().waitFor()
    expect(await page.getByRole('button', { name: /Unlock/ }).count()).toBe(0)
  })

  test('a policy that does not compile: its buttons leave the note free, and leaving asks', async () => {
    const page = await open('/organization/policies/new', owner)
    await page.getByLabel('Name', { exact: true }).fill('broken')
    await retype(page.getByLabel('Rego'), 'package cloudcontrol\n\ndeny contains message if {\n')
    await page.getByRole('button', { name: 'Save policy' }).click()
    const note = page.getByRole('alert').filter({ hasText: 'The policy does not compile' })
    await note.waitFor()
    const [box, button] = await Promise.all([
      note.boundingBox(),
      page.getByRole('button', { name: 'Save policy' }).boundingBox(),
    ])
    expect(button?.y ?? 0).toBeGreaterThanOrEqual((box?.y ?? 0) + (box?.height ?? 0))
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByText('Leave without saving?').waitFor()
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(new URL(page.url()).pathname).toBe('/organization/policies/new')
  })
})
