import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

const first = `resource "terraform_data" "network" { input = "10.0.0.0/16" }
resource "terraform_data" "old" {}
output "token" {
  value     = "hush-hush-hush"
  sensitive = true
}
`
const second = `resource "terraform_data" "network" { input = "10.20.0.0/16" }
resource "terraform_data" "added" { count = 2 }
`

describe('the versions of a state', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let author: TestUser
  let workspace: TestWorkspace
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    workspace = await org.workspace({ by: author, files: { 'main.tf': first } })
    for (const text of [first, second]) {
      await author.put(`${workspace.url}/configuration`, { files: { 'main.tf': text } })
      const { id } = await startRun(author, workspace)
      expect(await runUntil(author, { workspace, id }, isOver)).toMatchObject({
        state: 'succeeded',
      })
    }
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const versions = async () =>
    (await author.get(`${workspace.url}/state/versions`)).json().versions as Array<{
      id: number
      serial: number
    }>
  const open = async (page: Page) => {
    await page.goto(`/workspaces/${workspace.id}?tab=state`)
    await page
      .getByRole('link', { name: /^Version \d+$/ })
      .last()
      .press('Enter')
    await page.getByRole('heading', { name: /^Version \d+$/ }).waitFor()
  }

  test('one is shown with its values, sensitive ones hidden, and downloaded whole', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await open(page)
    // The first version that a run wrote holds a part of it; the last one of the first run is whole.
    const whole = (await versions()).findLast(({ serial }) => serial > 0)
    expect(whole).toBeDefined()
    const [newest] = await versions()
    await page.goto(`/workspaces/${workspace.id}?tab=state&version=${newest?.id}`)
    await page.getByText('terraform_data.network', { exact: true }).click()
    await page.getByText('"10.20.0.0/16"').first().waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    const text = readFileSync(await download.path(), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ version: 4, serial: newest?.serial })
    expect(download.suggestedFilename()).toBe(`state-${workspace.id}-${newest?.serial}.json`)
    expect(faults).toEqual([])
    await context.close()
  })

  test('two are compared by address and value, at an address of their own', async () => {
    const all = await versions()
    const newest = all[0]
    const older = all.find(({ id }) => id !== newest?.id && isOfFirstRun(all, id))
    const { page, context, faults } = await visit(browser, harness, { user: author })
    await page.goto(`/workspaces/${workspace.id}?tab=state&version=${newest?.id}`)
    await page.getByLabel('Compare with').selectOption(String(older?.id))
    await page.getByText(`from Version ${older?.serial} to Version ${newest?.serial}`).waitFor()
    await page.reload()
    const items = page.locator('.state-items li')
    await items.filter({ hasText: 'added: terraform_data.added[0]' }).waitFor()
    await items.filter({ hasText: 'gone: terraform_data.old' }).waitFor()
    const token = items.filter({ hasText: 'gone: output.token' })
    await token.locator('summary').press('Enter')
    await token.getByText('•••• sensitive').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('hush-hush')
    const network = items.filter({ hasText: 'changed: terraform_data.network' })
    await network.locator('summary').press('Enter')
    await network.getByText('"10.0.0.0/16"').first().waitFor()
    await network.getByText('"10.20.0.0/16"').first().waitFor()
    expect(faults).toEqual([])
    await context.close()
    const place = `/workspaces/${workspace.id}?tab=state&version=${newest?.id}&with=${older?.id}`
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [360, 1440] as const) {
        const view = { scheme, width }
        const looking = await visit(browser, harness, { user: author, view })
        await looking.page.goto(place)
        await looking.page.locator('.state-items summary').last().click()
        await settle(looking.page)
        const where = `state-compared-${scheme}-${width}`
        await expectAccessible(looking.page, where)
        await expectNoSideways(looking.page, where)
        await takePicture(looking.page, where)
        expect(looking.faults).toEqual([])
        await looking.context.close()
      }
  })

  test('a version that is gone or of another workspace says so, and a Viewer sees none', async () => {
    const other = await org.workspace({ by: author })
    const [newest] = await versions()
    const { page, context } = await visit(browser, harness, { user: author })
    await page.goto(`/workspaces/${other.id}?tab=state&version=${newest?.id}`)
    await page.getByText('This version of the state is gone').waitFor()
    await context.close()
    const viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    const looking = await visit(browser, harness, { user: viewer })
    await looking.page.goto(`/workspaces/${workspace.id}?tab=state&version=${newest?.id}`)
    await looking.page.getByText('Your role does not allow this.').waitFor()
    await looking.context.close()
  })

  test('one that was put aside is told apart, read and downloaded, and never restored', async () => {
    // As a late write of a lost worker leaves it.
    const [, before] = await versions()
    await harness.deps.store.platform.raw(
      `update state_versions set status = 'quarantined' where id = ?`,
      [before?.id ?? 0],
    )
    const owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(`/workspaces/${workspace.id}?tab=state`)
    const row = page.locator('.rows li', { hasText: 'quarantined' })
    await row.waitFor()
    expect(await row.getByRole('button').count()).toBe(0)
    await expectAccessible(page, 'a quarantined state')
    await row.getByRole('link').press('Enter')
    await page.getByRole('heading', { name: /, quarantined$/ }).waitFor()
    await page.getByText('terraform_data.network', { exact: true }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({ version: 4 })
    expect(faults).toEqual([])
    await context.close()
  })
})

/** Versions are listed newest first; those of the first run are in the older half. */
const isOfFirstRun = (all: ReadonlyArray<{ id: number }>, id: number): boolean =>
  all.findIndex((one) => one.id === id) >= all.length / 2
