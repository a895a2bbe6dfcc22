import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleFolder } from '../../api/console/console-files.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { isOver, runUntil, startRun } from '../harness/runs.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { focused } from './focused.ts'
import { takePicture } from './picture.ts'
import { textIn } from './text-in.ts'

const files = {
  'main.tf': `# The network of the shop.
variable "region" {
  default = "eu-central-1"
}
resource "terraform_data" "net" {
  input = "10.0.0.0/16 in \${var.region}"
}
`,
  'policy.rego': 'package a\n\ndeny contains "no" if { input.x == 1 }\n',
  'data.json': '{ "a": [1, true, null, "b"] }\n',
  'data.yaml': '# list\na:\n  - b: "c"\n',
}

describe('the editor', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let user: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    org = await harness.organization()
    user = await org.user('Deployer')
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })
  const text = (page: Page, name = 'main.tf') => page.getByLabel(`Text of ${name}`)
  const coloursIn = async (page: Page, name: string): Promise<number> => {
    await textIn(text(page, name))
    const colours: unknown = await page.evaluate(
      `[...document.querySelector('.code-host').shadowRoot.querySelectorAll('.cm-line span')]
        .map((one) => getComputedStyle(one).color)`,
    )
    return new Set(Array.isArray(colours) ? colours : []).size
  }

  test('colours each language, in both themes and widths, by the policy of the page', async () => {
    const { id } = await org.workspace({ by: user, files })
    for (const view of views) {
      const { page, context, faults } = await visit(browser, harness, { user, view })
      await page.goto(`/workspaces/${id}?tab=files&file=main.tf`)
      await settle(page)
      await expect.poll(async () => coloursIn(page, 'main.tf')).toBeGreaterThan(3)
      await expectAccessible(page, `the editor, ${view.scheme}, ${view.width} px`)
      await expectNoSideways(page, 'the editor')
      await takePicture(page, `editor-${view.scheme}-${view.width}`)
      for (const name of ['policy.rego', 'data.json', 'data.yaml']) {
        await page.getByRole('tab', { name }).click()
        await expect.poll(async () => coloursIn(page, name)).toBeGreaterThan(1)
      }
      await text(page, 'data.yaml').click()
      await page.keyboard.press('Control+f')
      await page.getByRole('textbox', { name: 'Find' }).waitFor()
      await expectAccessible(page, `search in the editor, ${view.scheme}, ${view.width} px`)
      // A refused style or image is one of them.
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('by keyboard alone: Tab indents, Escape and Tab leave, Control F searches', async () => {
    const { id } = await org.workspace({ by: user, files: { 'main.tf': '# one\n# two\n' } })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files&file=main.tf&line=2`)
    await textIn(text(page))
    await expect.poll(async () => focused(page)).toBe('Text of main.tf')
    await page.keyboard.press('Home')
    await page.keyboard.press('Tab')
    expect(await textIn(text(page))).toBe('# one\n  # two\n')
    // Keys of the page do nothing while one types.
    await page.keyboard.type('c?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Control+f')
    await page.keyboard.type('one')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    expect(await focused(page)).toBe('Text of main.tf')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await focused(page)).not.toBe('Text of main.tf')
    expect(await focused(page)).not.toBe('body')
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toBe('Text of main.tf')
    expect(faults).toEqual([])
    await context.close()
  })

  test('keeps what is undone of each file, and the line endings of Windows', async () => {
    const windows = { 'main.tf': '# one\r\n# two\r\n', 'b.tf': '# b\n' }
    const { id, url } = await org.workspace({ by: user, files: windows })
    const { page, context } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files&file=main.tf`)
    await textIn(text(page))
    await text(page).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('# three')
    await page.getByRole('tab', { name: 'b.tf' }).click()
    await textIn(text(page, 'b.tf'))
    await text(page, 'b.tf').click()
    await page.keyboard.type('# new ')
    await page.keyboard.press('Control+z')
    expect(await textIn(text(page, 'b.tf'))).toBe('# b\n')
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.getByText('Version 2.').waitFor()
    const saved = (await user.get(`${url}/configuration`)).json().configuration.files
    expect(saved).toEqual({ ...windows, 'main.tf': '# one\r\n# two\r\n# three' })
    await page.getByRole('tab', { name: 'main.tf' }).click()
    await text(page).click()
    await page.keyboard.press('Control+z')
    expect(await textIn(text(page))).toBe('# one\n# two\n')
    await context.close()
  })

  test('marks what the last run said, in the text and as a list', async () => {
    const broken = { 'main.tf': '# a\noutput "b" { value = var.missing }\n' }
    const workspace = await org.workspace({ by: user, files: broken })
    const run = await startRun(user, workspace)
    await runUntil(user, { workspace, id: run.id }, isOver)
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${workspace.id}?tab=files`)
    await page.getByRole('button', { name: 'main.tf, line 2' }).click()
    expect(await focused(page)).toBe('Text of main.tf')
    await page.locator('.cm-lintRange-error').waitFor()
    await page.locator('.cm-lint-marker-error').waitFor()
    await expectAccessible(page, 'the marks of a run')
    await takePicture(page, 'editor-marks')
    // A line that is another one now has no mark.
    await user.put(`${workspace.url}/configuration`, { files: { 'main.tf': '# a\n# solved\n' } })
    await page.reload()
    expect(await textIn(text(page))).toContain('solved')
    await page.waitForTimeout(500)
    expect(await page.locator('.cm-lintRange-error').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('completes variables and resources of the workspace', async () => {
    const { id } = await org.workspace({ by: user, files })
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=files&file=main.tf`)
    await textIn(text(page))
    await text(page).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('output "a" { value = var.')
    await page.getByRole('option', { name: /region/ }).waitFor()
    await expectAccessible(page, 'a suggestion')
    await page.keyboard.press('Enter')
    await page.keyboard.type(' + terraform_data.')
    await page.getByRole('option', { name: /net/ }).waitFor()
    // CodeMirror takes no key for a suggestion that appeared under the finger.
    await page.waitForTimeout(150)
    await page.keyboard.press('Enter')
    expect(await textIn(text(page))).toContain('value = var.region + terraform_data.net')
    expect(faults).toEqual([])
    await context.close()
  })

  test('is a script of its own, which the first load does not have', async () => {
    const { id } = await org.workspace({ by: user, files })
    const { page, context } = await visit(browser, harness, { user })
    const names = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) names.add(pathname)
    })
    await page.goto('/')
    await settle(page)
    const has = (name: string) =>
      readFileSync(join(consoleFolder, name), 'utf8').includes('cm-lintRange')
    expect([...names].filter(has)).toEqual([])
    await page.goto(`/workspaces/${id}?tab=files&file=main.tf`)
    await textIn(text(page))
    const [editor = '', ...others] = [...names].filter(has)
    expect(others).toEqual([])
    const size = gzipSync(readFileSync(join(consoleFolder, editor)), { level: 9 }).length
    console.log(`the editor: ${size} bytes of script, gzip`)
    expect(size).toBeLessThanOrEqual(200_000)
    await context.close()
  })

  test('without its script the text is edited all the same', async () => {
    const { id } = await org.workspace({ by: user, files })
    const { page, context } = await visit(browser, harness, { user })
    await page.route('**/assets/code-editor-*.js', async (route) => route.abort())
    await page.goto(`/workspaces/${id}?tab=files&file=data.yaml`)
    await text(page, 'data.yaml').fill('a: 2\n')
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.getByText('Version 2.').waitFor()
    await context.close()
  })
})
