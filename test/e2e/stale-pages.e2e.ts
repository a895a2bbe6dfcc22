import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { lockedState } from '../api/workspaces/locked-state.ts'
import { stateOf } from '../api/workspaces/state-client.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { retype } from './retype.ts'
import { textIn } from './text-in.ts'
import { waitingDeployment } from './waiting-deployment.ts'

// A page that cannot be refreshed says so, and one that can shows what is newest without a reload.
describe('a page that is out of date', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let user: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    user = await org.user('Owner')
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  /** As the browser does when its network is back: all that is shown is asked for anew. */
  const lookAgain = async (page: Page) => page.evaluate(`dispatchEvent(new Event('online'))`)
  const text = (page: Page) => page.getByLabel('Text of main.tf')

  const places = {
    'a run of a workspace': async () => {
      const workspace = await org.workspace({ by: user, criticality: 'production' })
      const { id } = await approvalWorld(harness).waitingRun(org, user, workspace)
      const path = `/pipelines/${workspace.pipelineId}/runs/${id}`
      return { path, url: `/api${path}` }
    },
    'a run of an application': async () => waitingDeployment(harness, { org, by: user }),
    'a workspace': async () => {
      const { id, url } = await org.workspace({ by: user })
      return { path: `/workspaces/${id}?tab=settings`, url }
    },
  }
  for (const [what, place] of Object.entries(places))
    test(`${what}: while its refetches fail, the page shows why above what it had`, async () => {
      const { path, url } = await place()
      const { page, context, faults } = await visit(browser, harness, { user })
      await page.goto(path)
      await settle(page)
      const title = await page.locator('h1').innerText()
      // Answered by the service itself, so that its connection counts as up.
      await page.route(
        ({ pathname }) => pathname === url,
        async (route) =>
          route.fulfill({
            status: 503,
            json: { error: 'The database is away.', code: 'unavailable' },
          }),
      )
      await lookAgain(page)
      const note = page.getByRole('alert').getByText('The database is away.')
      await note.waitFor()
      expect(await page.locator('h1').innerText()).toBe(title)
      await expectAccessible(page, `${what} whose refetches fail`)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await lookAgain(page)
      await note.waitFor({ state: 'detached' })
      expect(faults).toEqual([])
      await context.close()
    })

  test('another person saves files: an unchanged editor shows them, a changed one stays and says so', async () => {
    const { id, url } = await org.workspace({ by: user })
    const other = await org.user('Deployer')
    const put = async (words: string) => {
      const answer = await other.put(`${url}/configuration`, { files: { 'main.tf': words } })
      expect(answer.statusCode, answer.body).toBeLessThan(300)
    }
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files`)
    await page.getByText('Version 1.').waitFor()
    const history = await context.newPage()
    await history.goto(`/workspaces/${id}?tab=files&history=true`)
    await history.getByRole('link', { name: 'Version 1', exact: true }).waitFor()

    await put('# theirs, seen\n')
    // The poll of the workspace comes every ten seconds.
    await page.getByText('Version 2.').waitFor({ timeout: 30_000 })
    expect(await textIn(text(page))).toBe('# theirs, seen\n')
    const newest = history.getByRole('link', { name: 'Version 2', exact: true })
    await newest.waitFor({ timeout: 30_000 })

    await retype(text(page), '# mine\n')
    await put('# theirs, not seen\n')
    await page
      .getByText(`Version 3 was saved by ${other.email} while you were typing`)
      .waitFor({ timeout: 30_000 })
    expect(await textIn(text(page))).toBe('# mine\n')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a state is written: its outputs, resources and versions follow', async () => {
    const { owner, workspace, client, info } = await lockedState(harness)
    const write = async (serial: number, fields = {}) => {
      const answer = await client.write(stateOf(serial, fields), info.ID)
      expect(answer.statusCode, answer.body).toBe(200)
    }
    const version = (serial: number) =>
      page.getByRole('link', { name: `Version ${serial}`, exact: true })
    await write(1)
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(`/workspaces/${workspace.id}?tab=state`)
    await page.getByText('"serial 1"').waitFor()
    await page.getByText('terraform_data.one["a"]').waitFor()
    await version(1).waitFor()

    await write(2, { resources: [] })
    await page.getByText('"serial 2"').waitFor({ timeout: 30_000 })
    await page.getByText('terraform_data.one["a"]').waitFor({ state: 'detached' })
    await version(2).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
