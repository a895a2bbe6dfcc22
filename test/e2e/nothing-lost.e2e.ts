import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { awaits, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { textIn } from './text-in.ts'
import { named, password } from './people.ts'
import { retype } from './retype.ts'

// Two people at one thing, and a session that ends under somebody's hands: what was typed is never lost unsaid.
describe('nothing is lost', () => {
  let harness: GitHarness
  let browser: Browser
  let org: TestOrganization
  let workspace: TestWorkspace
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([gitHarness(peerMakers.gitlabPeer), openBrowser()])
    org = await harness.organization()
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  /** As the browser does when its network is back: all that is shown is asked for anew. */
  const lookAgain = async (page: Page) => page.evaluate(`dispatchEvent(new Event('online'))`)
  const text = (page: Page) => page.getByLabel('Text of main.tf')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  test('a session ends in the midst of typing: one signs in over the page, and goes on', async () => {
    const person = { name: 'Ada Byron', role: 'Deployer', withPassword: true } as const
    const user = await named(harness, org, person)
    workspace = await org.workspace({ by: user })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${workspace.id}?tab=files`)
    await retype(text(page), 'output "mine" { value = 1 }\n')
    await user.post('/api/auth/logout')
    await button(page, 'Save as a new version').click()
    await page.getByText('Your session is over.').waitFor()
    await expectAccessible(page, 'a session that is over')
    const box = await text(page).boundingBox()
    const onTop = `document.elementFromPoint(${box?.x ?? 0} + 9, ${box?.y ?? 0} + 9).closest('.cover') !== null`
    expect(await page.evaluate(onTop), 'what was there is covered').toBe(true)
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape')
    await page.getByLabel('Password').fill('something else')
    await page.keyboard.press('Enter')
    await page.locator('.cover').getByRole('alert').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.locator('.cover').waitFor({ state: 'detached' })
    expect(await textIn(text(page))).toContain('mine')
    await button(page, 'Save as a new version').click()
    await page.getByText('Version 2.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('two people write the same files: the second is told, and chooses', async () => {
    const [user, other] = [await org.user('Deployer'), await org.user('Deployer')]
    const { url, id } = await org.workspace({ by: other })
    const { page, context, faults } = await visit(browser, harness, { user })
    const put = async (words: string) =>
      other.put(`${url}/configuration`, { files: { 'main.tf': `# ${words}\n` } })
    await page.goto(`/workspaces/${id}?tab=files`)
    await page.getByText('Version 1.').waitFor()
    // Nothing was typed, so there is nothing to choose.
    await put('theirs, seen')
    await lookAgain(page)
    await page.getByText('Version 2.').waitFor()
    expect(await textIn(text(page))).toBe('# theirs, seen\n')

    await retype(text(page), '# mine\n')
    await put('theirs, not seen')
    await button(page, 'Save as a new version').click()
    await page.getByText('Nothing was written.').waitFor()
    await page.getByText(`Version 3 was saved by ${other.email}`).waitFor()
    await expectAccessible(page, 'a version that was overtaken')
    expect(await textIn(text(page))).toBe('# mine\n')
    await page.getByRole('link', { name: 'Variables' }).click()
    await page.getByText('Leave without saving?').waitFor()
    await button(page, 'Stay').click()
    await button(page, 'Save over version 3').click()
    await page.getByText('Version 4.').waitFor()

    await retype(text(page), '# mine again\n')
    await put('theirs at last')
    await lookAgain(page)
    await button(page, 'Take theirs…').click()
    await button(page, 'Take it').click()
    await page.getByText('Version 5.').waitFor()
    expect(await textIn(text(page))).toBe('# theirs at last\n')
    expect(faults).toEqual([])
    await context.close()
  })

  test('settings that somebody else changed meanwhile are not taken back by a save', async () => {
    const [user, other] = [await org.user('Owner'), await org.user('Owner')]
    const { url, id } = await org.workspace({ by: user })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=settings`)
    await page.getByLabel('Path').fill('net')
    await other.patch(url, { costLimitMonthly: 200, unpriced: 'allow' })
    await lookAgain(page)
    await page.getByText('Somebody changed these settings meanwhile.').waitFor()
    await page.getByLabel('Path').fill('')
    await page.getByLabel('Name').fill('renamed-meanwhile')
    await button(page, 'Save settings').click()
    await page.getByText('Saved.').waitFor()
    expect((await user.get(url)).json().workspace).toMatchObject({
      name: 'renamed-meanwhile',
      costLimitMonthly: 200,
      unpriced: 'allow',
    })
    expect(await page.getByLabel(/^Monthly cost limit/).inputValue()).toBe('200')
    expect(faults).toEqual([])
    await context.close()
  })

  test('of a source in Git that two people change, each saves what they changed', async () => {
    const [user, other] = [await org.user('Owner'), await org.user('Owner')]
    const repo = 'northwind/shared'
    await harness.peer.createRepository(repo, { 'main.tf': '# shared\n' })
    const connected = await other.post('/api/git/connections', harness.body(repo))
    const gitConnectionId = connected.json().connection.id
    const { url, id } = await org.workspace({ by: user })
    await other.patch(url, { source: { kind: 'git', branch: 'main' }, gitConnectionId })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=git`)
    const typed = (label: string) => page.getByLabel(label, { exact: true }).inputValue()
    const source = { kind: 'git', branch: 'main', include: ['modules'] }
    // Nothing was typed, so the fields follow.
    await page.getByLabel('Folder', { exact: true }).waitFor()
    await other.patch(url, { path: 'theirs' })
    await lookAgain(page)
    await expect.poll(async () => typed('Folder')).toBe('theirs')
    await page.getByLabel('Folder', { exact: true }).fill('mine')
    await other.patch(url, { autoApply: true, source })
    await lookAgain(page)
    await page.getByText('Somebody changed these settings meanwhile.').waitFor()
    await button(page, 'Save the source').click()
    await page.getByText('Saved.').waitFor()
    const stored = async () => (await user.get(url)).json().workspace
    expect(await stored()).toMatchObject({ path: 'mine', autoApply: true, source })
    expect(await typed('Other folders (optional)')).toBe('modules')

    await page.getByLabel('From the console').check()
    await button(page, 'Keep the files here').click()
    await page.getByText('the files are stored only here').waitFor({ state: 'attached' })
    expect(await stored()).toMatchObject({ path: 'mine', source: { kind: 'inline' } })
    expect(faults).toEqual([])
    await context.close()
  })

  test('somebody else approves while one writes a comment: it is said, and nothing is sent', async () => {
    const [author, quicker] = [await org.user('Deployer'), await org.user('Deployer')]
    const made = await org.workspace({ by: author, criticality: 'production' })
    const run = await startRun(author, made)
    await runUntil(author, { workspace: made, id: run.id }, awaits)
    const slower = await visit(browser, harness, { user: await org.user('Deployer') })
    const { page } = slower
    // A list says that it waits, too: that it runs would hide it.
    await page.goto('/workspaces')
    await page.getByRole('link', { name: new RegExp(`${made.name}.*Needs approval`) }).click()
    await page.getByRole('link', { name: /Needs approval/ }).click()
    await button(page, 'Approve…').click()
    await page.getByLabel('Comment (optional)').fill('let me think')
    await quicker.post(`/api/pipelines/${made.pipelineId}/runs/${run.id}/approve`)
    await page.getByText(`${quicker.email} approved it meanwhile.`).waitFor()
    await button(page, 'Go on').click()
    await page.getByText('Succeeded').first().waitFor()
    expect(slower.faults).toEqual([])
    await slower.context.close()
  })

  test('a workspace, a pipeline and a run that are deleted while somebody looks at them', async () => {
    const user = await org.user('Owner')
    const { url, id, pipelineId } = await org.workspace({ by: user })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=settings`)
    await settle(page)
    expect((await user.delete(url)).statusCode).toBe(200)
    await lookAgain(page)
    await page.getByText('There is no such workspace').waitFor()
    await expectAccessible(page, 'a workspace that is gone')
    await page.goto(`/pipelines/${pipelineId}`)
    await page.getByText('There is no such pipeline').waitFor()
    await page.goto(`/pipelines/${pipelineId}/runs/7`)
    await page.getByText('There is no such run').waitFor()
    await page.getByRole('link', { name: 'All workspaces' }).click()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a run is canceled only by who says so twice', async () => {
    const [author, user] = [await org.user('Deployer'), await org.user('Deployer')]
    const made = await org.workspace({ by: author, criticality: 'production' })
    const run = await startRun(author, made)
    await runUntil(author, { workspace: made, id: run.id }, awaits)
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/pipelines/${made.pipelineId}/runs/${run.id}`)
    await button(page, 'Cancel run…').click()
    await button(page, 'Let it go on').click()
    await button(page, 'Cancel run…').click()
    await button(page, 'Cancel the run').click()
    await page.getByText('Canceled by a person.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
