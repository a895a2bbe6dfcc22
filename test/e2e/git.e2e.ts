import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit } from './browser.ts'

const repo = 'acme/infra'

// A provider whose repositories are real ones, and the pages of connections and of what was written.
describe('Git', () => {
  let harness: GitHarness
  let browser: Browser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([gitHarness(peerMakers.gitlabPeer), openBrowser()])
    await harness.peer.createRepository(repo, { 'README.md': 'mine\n' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('connected, written, decided about, checked, and disconnected', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    const dialog = page.getByRole('dialog')
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    await page.goto('/organization/git')
    await button('Connect a repository').click()
    await dialog.getByLabel('Provider').selectOption('gitlab')
    await dialog.getByLabel('Host (optional)').fill(harness.peer.server.url)
    await dialog.getByLabel('Token').fill('ghp_aTokenOfSomebodyElse000000')
    await dialog.getByLabel('Repository (optional)').fill(repo)
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await dialog.getByText(/is a token of GitHub/).waitFor()
    await expectAccessible(page, 'a connection that is refused')
    await dialog.getByLabel('Token').fill(harness.peer.token())
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('✓ healthy').waitFor()
    await expectAccessible(page, 'Git connections')
    await button(`Check ${repo}`).click()
    await page.getByText('✓ healthy').waitFor()

    await page.goto(`/workspaces/${workspace.id}?tab=git`)
    await page.getByLabel('Connection').selectOption({ label: `${repo} (main)` })
    await page.getByText('✓ written').waitFor()
    await expectAccessible(page, 'what was written')
    const folder = `workspaces/${workspace.name}`
    const before = await harness.peer.tree(repo)
    const file = Object.keys(before).find((path) => path.endsWith('main.tf')) ?? folder
    await harness.peer.edit(repo, { write: { [file]: '# changed by somebody else\n' } })
    await owner.put(`${workspace.url}/configuration`, { files: { 'main.tf': '# ours\n' } })
    await button('Decide…').click()
    await dialog.getByText('# changed by somebody else').first().waitFor()
    await expectAccessible(page, 'whose files hold')
    await dialog.getByRole('button', { name: 'Write over it' }).click()
    await page.getByText('wrote over').waitFor()
    await expect
      .poll(async () => (await harness.peer.tree(repo))[file], { timeout: 60_000 })
      .toBe('# ours\n')

    const viewer = await visit(browser, harness, {
      user: await org.user('Viewer'),
      view: { scheme: 'dark', width: 390 },
    })
    await viewer.page.goto('/organization/git')
    await viewer.page.getByText('✓ healthy').waitFor()
    expect(
      await viewer.page.getByRole('button', { name: /^(Check|Change|Disc|Conn)/ }).count(),
    ).toBe(0)
    await expectAccessible(viewer.page, 'Git connections as a Viewer')
    await viewer.page.goto(`/workspaces/${workspace.id}?tab=git`)
    await settle(viewer.page)
    await expectAccessible(viewer.page, 'what was written as a Viewer')
    await expectNoSideways(viewer.page, 'what was written')
    expect(await viewer.page.getByLabel('Connection').isDisabled()).toBe(true)
    await viewer.context.close()

    await page.goto('/organization/git')
    await button(`Disconnect ${repo}`).click()
    await dialog.getByText(/another organization may connect it from then on/).waitFor()
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('No Git connections yet').waitFor()
    expect(Object.keys(await harness.peer.tree(repo))).not.toContain('.cloud-control/owner.json')
    expect(faults).toEqual([])
    await context.close()
  })
})
