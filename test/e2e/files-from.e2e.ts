import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { isOver, runUntil } from '../harness/runs.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

const repo = 'northwind/live'
const maxClicks = 8

describe('where the files of a workspace come from', () => {
  let harness: GitHarness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([gitHarness(peerMakers.gitlabPeer), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    await harness.peer.createRepository(repo, {
      'live/network/main.tf': 'output "name" { value = "network" }\n',
    })
    const connected = await owner.post('/api/git/connections', harness.body(repo))
    expect(connected.statusCode, connected.body).toBe(201)
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const dialog = (page: Page) => page.getByRole('dialog')
  const workspaceOf = async (page: Page) => {
    const [, id] = /\/workspaces\/(\d+)/.exec(page.url()) ?? []
    return (await owner.get(`/api/workspaces/${id}`)).json().workspace
  }

  test(`a workspace from Git, from Home, in at most ${maxClicks} clicks; its runs name the commit`, async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/')
    let clicks = 0
    const click = async (what: ReturnType<Page['locator']>) => {
      clicks += 1
      await what.click()
    }
    await click(page.getByRole('link', { name: 'Workspaces', exact: true }))
    await click(page.getByRole('button', { name: 'New workspace' }))
    await page.keyboard.type('network')
    await click(dialog(page).getByLabel('From Git'))
    await click(dialog(page).getByLabel('Folder', { exact: true }))
    await page.keyboard.type('/live/network/')
    await click(dialog(page).getByRole('button', { name: 'Create workspace' }))
    await page.getByRole('heading', { level: 1, name: 'network' }).waitFor()
    console.log(`a workspace from Git: ${clicks} clicks`)
    expect(clicks).toBeLessThanOrEqual(maxClicks)
    const workspace = await workspaceOf(page)
    expect(workspace).toMatchObject({
      source: { kind: 'git' },
      path: 'live/network',
      autoApply: false,
      confirm: 'destroys',
    })
    const { run } = (await owner.post(`/api/workspaces/${workspace.id}/apply`)).json()
    const url = `/api/workspaces/${workspace.id}`
    const ended = await runUntil(owner, { workspace: { ...workspace, url }, id: run.id }, isOver)
    expect(ended).toMatchObject({ state: 'succeeded' })
    const sha = (await owner.get(`${url}/runs`)).json().runs[0].commitSha.slice(0, 7)
    await page
      .getByRole('link', { name: /Run #1/ })
      .getByText(sha)
      .waitFor()
    await page.goto('/runs')
    await page
      .getByRole('link', { name: /network Run #1/ })
      .getByText(sha)
      .waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('repositories are searched at the host as one types, and a new workspace has the chosen one', async () => {
    await harness.peer.createRepository('northwind/databases', { 'main.tf': '# data\n' })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/workspaces?create=true')
    await dialog(page).getByLabel('Name').fill('databases')
    await dialog(page).getByLabel('From Git').check()
    const field = dialog(page).getByLabel('Repository')
    await field.focus()
    await page.keyboard.type('datab')
    const offered = dialog(page).locator('datalist option')
    await expect
      .poll(async () => offered.evaluateAll((all) => all.map((one) => one.getAttribute('value'))))
      .toEqual(['northwind/databases'])
    await field.fill('northwind/databases')
    await dialog(page).getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('heading', { level: 1, name: 'databases' }).waitFor()
    expect((await workspaceOf(page)).source).toMatchObject({ repo: 'northwind/databases' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a new workspace begins with an upload of a folder, and a reload does not ask again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cc-upload-'))
    mkdirSync(join(folder, 'modules'))
    writeFileSync(join(folder, 'main.tf'), '# uploaded\n')
    writeFileSync(join(folder, 'modules', 'net.tf'), '# net\n')
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/workspaces?create=true')
    await dialog(page).getByLabel('Name').fill('uploaded')
    await dialog(page).getByLabel('Upload them').check()
    await dialog(page).getByRole('button', { name: 'Create workspace' }).click()
    await dialog(page).getByLabel('Folder', { exact: true }).setInputFiles(folder)
    await dialog(page).getByRole('button', { name: 'Put them into the editor' }).click()
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.getByText('Version 1.').waitFor()
    const { id } = await workspaceOf(page)
    const answer = await owner.get(`/api/workspaces/${id}/configuration`)
    expect(Object.values(answer.json().configuration.files)).toEqual(
      expect.arrayContaining(['# net\n', '# uploaded\n']),
    )
    expect(new URL(page.url()).searchParams.get('upload')).toBeNull()
    await page.reload()
    await settle(page)
    expect(await dialog(page).count()).toBe(0)
    expect(faults).toEqual([])
    rmSync(folder, { recursive: true })
    await context.close()
  })

  test('by the keyboard alone: from the console to Git, and back', async () => {
    const made = await org.workspace({ by: owner })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto(`/workspaces/${made.id}?tab=git`)
    const inline = page.getByLabel('From the console')
    await inline.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByText('The next run reads the newest commit.').waitFor()
    await page.getByLabel('Folder', { exact: true }).focus()
    await page.keyboard.type('live/network')
    await page.getByLabel('Other folders (optional)').focus()
    await page.keyboard.type('modules, shared/')
    await page.getByLabel('When somebody pushes').focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('button', { name: 'Save the source' }).focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => workspaceOf(page))
      .toMatchObject({
        source: { kind: 'git', include: ['modules', 'shared'] },
        path: 'live/network',
        autoApply: true,
      })
    await page.getByText('The next run reads the newest commit.').waitFor({ state: 'detached' })
    await page.reload()
    await expect
      .poll(async () => page.getByLabel('Other folders (optional)').inputValue())
      .toBe('modules, shared')
    await page.getByLabel('From Git').focus()
    await page.keyboard.press('ArrowUp')
    await page.getByRole('button', { name: 'Keep the files here' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await workspaceOf(page)).source).toEqual({ kind: 'inline' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('a Deployer changes the branch, and neither the connection nor the repository', async () => {
    const deployer = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    const { connections } = (await owner.get('/api/git/connections')).json()
    const made = await owner.post('/api/workspaces', {
      name: 'by-git',
      gitConnectionId: connections[0].id,
      path: 'live/network',
      source: { kind: 'git' },
    })
    const { id } = made.json().workspace
    const { page, context } = await visit(browser, harness, { user: deployer })
    await page.goto(`/workspaces/${id}?tab=git`)
    expect(await page.getByLabel('Connection').isDisabled()).toBe(true)
    expect(await page.getByLabel('Repository').isEditable()).toBe(false)
    await page.getByLabel('Branch').fill('next')
    await page.getByRole('button', { name: 'Save the source' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await workspaceOf(page)).source).toEqual({ kind: 'git', branch: 'next' })
    const inline = await org.workspace({ by: deployer })
    await page.goto(`/workspaces/${inline.id}?tab=git`)
    await page.getByLabel('From Git').check()
    await page.getByText(/chooses the connection/).waitFor()
    await context.close()
  })

  test('axe, width and pictures', async () => {
    const { workspaces } = (await owner.get('/api/workspaces?q=network')).json()
    const viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      const look = async (name: string) => {
        await settle(page)
        await expectNoSideways(page, name)
        await expectAccessible(page, name)
        await takePicture(page, `${name}-${view.scheme}-${view.width}`)
      }
      await page.goto('/workspaces?create=true')
      await dialog(page).getByLabel('From Git').check()
      await dialog(page).getByLabel('Folder', { exact: true }).waitFor()
      await look('create-from-git')
      await page.goto(`/workspaces/${workspaces[0].id}?tab=git`)
      await page.getByLabel('Folder', { exact: true }).waitFor()
      await look('source-git')
      expect(faults).toEqual([])
      await context.close()
      const other = await visit(browser, harness, { user: viewer, view })
      await other.page.goto(`/workspaces/${workspaces[0].id}?tab=git`)
      await other.page.getByLabel('Folder', { exact: true }).waitFor()
      await settle(other.page)
      expect(await other.page.getByRole('button', { name: 'Save the source' }).count()).toBe(0)
      await expectAccessible(other.page, 'the source as a Viewer')
      await other.context.close()
    }
  })
})
