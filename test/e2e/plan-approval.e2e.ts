import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { simpleFiles, type TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'
import { startInDialog } from './start-in-dialog.ts'
import { textIn } from './text-in.ts'

// New files on production: a second person sees them before they are planned with its secrets.
describe('approval before a plan', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let author: TestUser
  let second: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    second = await named(harness, org, { name: 'Ada Byron', role: 'Deployer' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const production = async () => {
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const variable = { key: 'AWS_SECRET_ACCESS_KEY', value: 'a-long-secret-value', kind: 'env' }
    const made = await author.post(`${workspace.url}/variables`, { ...variable, sensitive: true })
    expect(made.statusCode, made.body).toBe(201)
    return workspace
  }
  const begin = async (page: Page, workspace: { id: number }) => {
    await page.goto(`/workspaces/${workspace.id}`)
    await startInDialog(page, 'Plan and ask a second person')
    await page.getByRole('heading', { name: 'This run needs approval before its plan' }).waitFor()
  }
  /** What a plan needs before it can get a secret: a workflow that is asked for, and a token. */
  const begun = async (workspaceRunId: number) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)
      const asked = db('outbox')
        .where({ kind: 'start' })
        .whereLike('workflowId', `%/${workspaceRunId}`)
      return [(await asked).length, (await db('tokens').where({ workspaceRunId })).length]
    })
  const runIdOf = (page: Page) => Number(/\/runs\/(\d+)/.exec(page.url())?.[1])

  test('the form on the Policies page sets it; a Viewer has no such form', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/organization/policies')
    const section = page.getByRole('region', { name: 'New files on production' })
    await section.getByText('planned at once').waitFor()
    await section.getByRole('button', { name: 'Ask for a second person…' }).click()
    await expectAccessible(page, 'the question before it is set')
    await takePicture(page, 'unseen-plans-question')
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for a second person' }).click()
    await section.getByText('a second person looks first').waitFor()
    const settings = (await owner.get('/api/org/settings')).json()
    expect(settings.planApproval).toBe('unseen')
    for (const view of views) {
      const looked = await visit(browser, harness, { user: owner, view })
      await looked.page.goto('/organization/policies')
      await looked.page.getByText('a second person looks first').waitFor()
      await settle(looked.page)
      await expectAccessible(looked.page, 'Policies')
      await expectNoSideways(looked.page, 'Policies')
      await takePicture(looked.page, `unseen-plans-${view.scheme}-${view.width}`)
      const above = await looked.page.locator('.empty').boundingBox()
      expect(above).not.toBeNull()
      const box = await looked.page
        .getByRole('region', { name: 'New files on production' })
        .boundingBox()
      const gap = (box?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)
      expect(gap, 'the space above the section').toBeGreaterThanOrEqual(20)
      await looked.context.close()
    }
    const viewer = await visit(browser, harness, { user: await org.user('Viewer') })
    await viewer.page.goto('/organization/policies')
    await viewer.page.getByText('No policies yet').waitFor()
    expect(await viewer.page.getByText('New files on production').count()).toBe(0)
    expect([...faults, ...viewer.faults]).toEqual([])
    await Promise.all([context.close(), viewer.context.close()])
  })

  test('a second person sees the files and lets them be planned; the author may not', async () => {
    const workspace = await production()
    const one = await visit(browser, harness, { user: author })
    const two = await visit(browser, harness, { user: second })
    await begin(one.page, workspace)
    const workspaceRunId = runIdOf(one.page)
    await one.page.getByText(/You started it or changed something/).waitFor()
    await one.page
      .getByText(/Only its author has seen version 1 .* looks at the files first\./)
      .waitFor()
    expect(await one.page.getByRole('button', { name: 'Let it be planned…' }).count()).toBe(0)
    await one.page.keyboard.press('a')
    expect(await one.page.getByRole('dialog').count()).toBe(0)
    await takePicture(one.page, 'plan-approval-author')
    expect(await begun(workspaceRunId), 'no workflow and no token').toEqual([0, 0])

    await two.page.goto('/')
    await two.page.getByRole('link', { name: /Needs approval/ }).click()
    await two.page.getByRole('link', { name: 'See the files of version 1' }).click()
    await two.page.getByText('Version 1', { exact: false }).first().waitFor()
    expect(await textIn(two.page.getByLabel('Text of main.tf'))).toBe(simpleFiles['main.tf'])
    expect(await begun(workspaceRunId), 'no workflow and no token').toEqual([0, 0])
    await two.page.goBack()
    await expectAccessible(two.page, 'a run before its plan')
    await takePicture(two.page, 'plan-approval-second')
    await two.page.getByRole('button', { name: 'Let it be planned…' }).click()
    const dialog = two.page.getByRole('dialog')
    await dialog.getByRole('heading', { name: /Let version 1 of the files be planned/ }).waitFor()
    await takePicture(two.page, 'plan-approval-dialog')
    await dialog.getByRole('button', { name: 'Let it be planned' }).click()

    // The plan that follows needs an approval of its own.
    await two.page.getByRole('button', { name: 'Approve…' }).click({ timeout: 90_000 })
    await two.page.getByText('let version 1 be planned').waitFor()
    await two.page.getByRole('button', { name: 'Approve and apply' }).click()
    await one.page.getByText('Succeeded').first().waitFor({ timeout: 90_000 })
    expect([...one.faults, ...two.faults]).toEqual([])
    await Promise.all([one.context.close(), two.context.close()])
  })

  test('newer files were saved meanwhile: those of the run are shown, and its newer run', async () => {
    const workspace = await production()
    // As in the first version, which somebody has seen by now, with a line of its own.
    const files = (word: string) => ({ 'main.tf': `${simpleFiles['main.tf']}# ${word}\n` })
    await author.put(`${workspace.url}/configuration`, { files: files('older') })
    const one = await visit(browser, harness, { user: author })
    await begin(one.page, workspace)
    const two = await visit(browser, harness, { user: second })
    await two.page.goto(one.page.url())
    await two.page.getByRole('link', { name: 'See the files of version 2' }).waitFor()

    await author.put(`${workspace.url}/configuration`, { files: files('newer') })
    await two.page.getByText(/Version 3 was saved since, and no run of it was started/).waitFor()
    await begin(one.page, workspace)
    const newer = two.page.getByRole('link', { name: 'Run #2' })
    await newer.waitFor()
    await expectAccessible(two.page, 'a run of files that were overtaken')
    await takePicture(two.page, 'plan-approval-overtaken')

    // What is shown is what this approval is for, and it cannot be changed there.
    await two.page.getByRole('link', { name: 'See the files of version 2' }).click()
    const text = two.page.getByLabel('Text of main.tf')
    await text.waitFor()
    expect(await textIn(text)).toContain('# older')
    expect(await text.getAttribute('aria-readonly')).toBe('true')
    await two.page.getByText('Version 2, read-only.').waitFor()
    await expectAccessible(two.page, 'the files of an older version')
    await takePicture(two.page, 'files-of-version')
    await two.page.getByRole('link', { name: 'Show the newest, version 3' }).click()
    await expect.poll(async () => textIn(text)).toContain('# newer')

    await two.page.goBack()
    await two.page.goBack()
    await newer.click()
    await two.page.getByRole('heading', { name: 'Run #2' }).waitFor()
    await two.page.getByRole('link', { name: 'See the files of version 3' }).waitFor()
    expect([...one.faults, ...two.faults]).toEqual([])
    await Promise.all([one.context.close(), two.context.close()])
  })
})
