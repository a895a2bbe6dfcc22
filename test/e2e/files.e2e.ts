import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zipOf } from '../console/workspaces/archives.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, views, visit } from './browser.ts'
import { focused } from './focused.ts'
import { freezeAnswer } from './freeze-answer.ts'
import { takePicture } from './picture.ts'
import { textIn } from './text-in.ts'
import { retype } from './retype.ts'

// Versions of the files: two people at once, history, restore and upload.
describe('the files of a workspace', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let user: TestUser
  let other: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    ;[user, other] = [await org.user('Deployer'), await org.user('Deployer')]
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })
  const text = (page: Page, name = 'main.tf') => page.getByLabel(`Text of ${name}`)
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const filesOf = async (url: string) =>
    (await user.get(`${url}/configuration`)).json().configuration.files

  test('two people change one file: both changes are merged, and nothing is lost', async () => {
    const begun = '# top\n\n# middle\n\n# end\n'
    for (const view of views) {
      const files = { 'main.tf': begun, 'other.tf': '# other\n' }
      const { id, url } = await org.workspace({ by: other, files })
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(`/workspaces/${id}?tab=files`)
      await textIn(text(page))
      // The page learns of the newer version by its save, and not by the poll of the workspace.
      const seeAgain = await freezeAnswer(page, { user, url })
      await retype(text(page), '# mine\n\n# middle of mine\n\n# end\n')
      await other.put(`${url}/configuration`, {
        files: { 'main.tf': '# top\n\n# middle of theirs\n\n# end\n# more\n', 'new.tf': '# new\n' },
      })
      await button(page, 'Save as a new version').click()
      await page.getByText('Nothing was written.').waitFor()
      await seeAgain()
      await page.getByText(`Version 2 was saved by ${other.email}`).waitFor()
      const conflict = page.getByRole('group', { name: 'main.tf, place 1 of 1 that both changed' })
      await conflict.getByText('# middle of mine').waitFor()
      await conflict.getByText('# middle of theirs').waitFor()
      await expectAccessible(page, `a merge, ${view.scheme}, ${view.width} px`)
      await expectNoSideways(page, 'a merge')
      await takePicture(page, `merge-${view.scheme}-${view.width}`)
      await button(page, 'Merge into the editor').click()
      await expect
        .poll(async () => textIn(text(page)))
        .toBe('# mine\n\n# middle of mine\n# middle of theirs\n\n# end\n# more\n')
      await expect.poll(async () => focused(page)).toBe('Text of main.tf')
      await button(page, 'Save as a new version').click()
      await page.getByText('Version 3.').waitFor()
      expect(await focused(page)).toBe('Save as a new version')
      expect(Object.keys(await filesOf(url))).toEqual(['main.tf', 'new.tf'])
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('a decision about a place that both changed holds', async () => {
    const { id, url } = await org.workspace({ by: other, files: { 'main.tf': '# a\n' } })
    const { page, context } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files`)
    await textIn(text(page))
    await freezeAnswer(page, { user, url })
    await retype(text(page), '# mine\n')
    await other.put(`${url}/configuration`, { files: { 'main.tf': '# theirs\n' } })
    await button(page, 'Save as a new version').click()
    await page.getByRole('radio', { name: `Keep that of ${other.email}` }).check()
    await button(page, 'Merge into the editor').click()
    await expect.poll(async () => textIn(text(page))).toBe('# theirs\n')
    await page.getByText('Version 2.').waitFor()
    await context.close()
  })

  test('history: any two versions are compared, and an older one is restored', async () => {
    const { id, url } = await org.workspace({ by: user, files: { 'main.tf': '# one\n' } })
    for (const number of ['two', 'three'])
      await user.put(`${url}/configuration`, { files: { 'main.tf': `# ${number}\n` } })
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(`/workspaces/${id}?tab=files`)
      await page.getByRole('link', { name: 'History' }).click()
      await page.getByText('# two').waitFor()
      await page.getByText('# three').waitFor()
      await page.getByLabel('From', { exact: true }).selectOption('Version 1')
      await page.getByText('# one').waitFor()
      expect(new URL(page.url()).searchParams.get('with')).toBe('1')
      await expectAccessible(page, `history, ${view.scheme}, ${view.width} px`)
      await expectNoSideways(page, 'history')
      await takePicture(page, `files-history-${view.scheme}-${view.width}`)
      expect(faults).toEqual([])
      await context.close()
    }
    const { page, context } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files&history=true`)
    await button(page, 'Restore version 1').click()
    await button(page, 'Restore it').click()
    await page.getByRole('link', { name: 'Version 4' }).waitFor()
    expect(await filesOf(url)).toEqual({ 'main.tf': '# one\n' })
    expect(await focused(page)).not.toBe('body')
    // Somebody saved after the question was asked.
    await button(page, 'Restore version 2').click()
    await other.put(`${url}/configuration`, { files: { 'main.tf': '# five\n' } })
    await button(page, 'Restore it').click()
    await page.getByRole('dialog').getByText('Nothing was written.').waitFor()
    expect(await filesOf(url)).toEqual({ 'main.tf': '# five\n' })
    await context.close()
    const viewer = await visit(browser, harness, { user: await org.user('Viewer') })
    await viewer.page.goto(`/workspaces/${id}?tab=files&history=true`)
    await viewer.page.getByRole('link', { name: 'Version 5' }).waitFor()
    expect(await viewer.page.getByRole('button', { name: /Restore/ }).count()).toBe(0)
    await viewer.context.close()
  })

  test('format: the file as tofu fmt writes it, and the line of an error', async () => {
    const { id } = await org.workspace({ by: user, files: { 'main.tf': 'locals {\na=1\n}\n' } })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files`)
    await textIn(text(page))
    await button(page, 'Format').click()
    await page.getByText('Formatted.').waitFor()
    await expect.poll(async () => textIn(text(page))).toBe('locals {\n  a = 1\n}\n')
    expect(await focused(page)).toBe('Format')
    await retype(text(page), 'locals {\n')
    await button(page, 'Format').click()
    await page
      .getByRole('alert')
      .getByText(/^Line \d/)
      .waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('upload: an archive, chosen and dropped, goes into the editor', async () => {
    const { id, url } = await org.workspace({ by: user, files: { 'main.tf': '# a\n' } })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files`)
    await textIn(text(page))
    await page.getByRole('button', { name: '+ Upload files' }).click()
    const archive = zipOf([
      { path: 'top/net.tf', text: '# net\n' },
      { path: 'top/.terraform/x', text: 'x' },
    ])
    await page.getByLabel('Files or an archive').setInputFiles({
      name: 'top.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(archive),
    })
    await page.getByText('1 file: 1 new, 0 changed, 0 the same.').waitFor()
    await page.getByText('1 file left out').click()
    await expectAccessible(page, 'an upload')
    await takePicture(page, 'upload')
    await page.getByRole('radio', { name: 'Remove' }).check()
    await button(page, 'Put them into the editor').click()
    expect(await textIn(text(page, 'net.tf'))).toBe('# net\n')
    await expect.poll(async () => focused(page)).toBe('Text of net.tf')
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.items.add(new File(['# dropped\\n'], 'dropped.tf'))
      const options = { dataTransfer: data, bubbles: true, cancelable: true, composed: true }
      const place = document.querySelector('.code-host').shadowRoot.querySelector('.cm-content')
      place.dispatchEvent(new DragEvent('dragover', options))
      place.dispatchEvent(new DragEvent('drop', options))
    })()`)
    await button(page, 'Put them into the editor').click()
    await button(page, 'Save as a new version').click()
    await page.getByText('Version 2.').waitFor()
    expect(await filesOf(url)).toEqual({ 'net.tf': '# net\n', 'dropped.tf': '# dropped\n' })
    expect(faults).toEqual([])
    await context.close()
  })
})
