import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleFolder } from '../../api/console/console-files.ts'
import { gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { everyWidth, openBrowser, settle, visit } from './browser.ts'
import { takePicture } from './picture.ts'
import { connectRepository } from './git-world.ts'
import { faultsInBothThemes } from './in-both-themes.ts'
import { createWorld, type World } from './world.ts'
import { wrongWords } from './wrong-words.ts'

// Each page: what axe says, its words, that it is no wider than its window, and a picture to be looked at.
describe('every page', () => {
  let harness: GitHarness
  let browser: Browser
  let owner: TestUser
  let viewer: TestUser
  let at: World['at']

  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([gitHarness(peerMakers.gitlabPeer), openBrowser()])
    const world = await createWorld(harness)
    await connectRepository(harness, world)
    ;({ owner, viewer, at } = world)
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  for (const view of everyWidth)
    test(`${view.width} px wide: axe, width and a picture of each, in both themes`, async () => {
      const { page, context, faults } = await visit(browser, harness, { user: owner, view })
      const wrong: string[] = []
      for (const [name, path] of Object.entries(at)) {
        await page.goto(path)
        wrong.push(...(await faultsInBothThemes(page, name)))
        wrong.push(...(await wrongWords(page, name)))
      }
      expect(wrong).toEqual([])
      expect(faults).toEqual([])
      await context.close()
    })

  test('in front of the door: sign-in, its ends, and an invitation', async () => {
    for (const view of everyWidth) {
      const { page, context, faults } = await visit(browser, harness, { view })
      for (const [name, path] of Object.entries({
        login: '/login',
        'login-sso-failed': '/login?sso=failed',
        'signed-out': '/login?signedout=1',
        'signed-out-partial': '/login?signedout=partial',
        'signed-out-failed': '/login?signedout=failed',
        'password-changed': '/login?reset=true',
        'password-forgot': '/password/forgot',
        'password-reset': '/password/reset#token',
        'password-reset-cut': '/password/reset',
        invitation: '/invitations/accept#token',
        'invitation-cut': '/invitations/accept',
      })) {
        await page.goto('about:blank')
        await page.goto(path)
        expect(await faultsInBothThemes(page, name)).toEqual([])
      }
      expect(faults).toEqual([])
      await context.close()
    }
  })

  test('a Viewer sees every page, and nothing to change with', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: viewer })
    for (const [name, path] of Object.entries(at)) {
      await page.goto(path)
      await settle(page)
      await expectAccessible(page, `${name} as a Viewer`)
      expect(await wrongWords(page, `${name} as a Viewer`)).toEqual([])
      const changing = page.getByRole('button', {
        name: /^(Start|Lock|Unlock|Approve|Reject|Cancel run|New workspace|New pipeline|New variable|Save|Delete|Invite|New policy|Restore|Change [^t\d]|Remove [^t]|Enable|Disable|Map |Unmap|New SCIM|Connect|Disconnect)/,
      })
      expect(await changing.count(), name).toBe(0)
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('an empty organization: each page says the next step', async () => {
    const empty = await harness.organization()
    const { page, context } = await visit(browser, harness, { user: await empty.user('Owner') })
    for (const [path, words] of [
      ['/', 'Create the first workspace'],
      ['/workspaces', 'New workspace'],
      ['/pipelines', 'Go to the workspaces'],
      ['/organization', 'Invite a person'],
      ['/organization/tokens', 'New token'],
      ['/organization/sso', 'Set up an identity provider'],
      ['/organization/provisioning', 'New SCIM token'],
      ['/organization/git', 'Connect a repository'],
      ['/organization/policies', 'New policy'],
    ] as const) {
      await page.goto(path)
      await page.locator('main').getByText(words).first().waitFor()
      await settle(page)
      await expectAccessible(page, `an empty ${path}`)
    }
    await context.close()
  })

  test('something stands before any script came, and nothing moves once it did', async () => {
    for (const view of everyWidth)
      for (const [name, path, first] of [
        ['login', '/login', 'Use single sign-on'],
        ['home', '/', 'Workspaces'],
        ['run', at['run-waiting'] ?? '', 'Workspaces'],
      ] as const) {
        const user = name === 'login' ? {} : { user: owner }
        const { page, context, faults } = await visit(browser, harness, { ...user, view })
        let release = () => undefined as void
        const held = new Promise<void>((resolve) => (release = resolve))
        await page.route('**/assets/*.js', async (route) => held.then(async () => route.continue()))
        await page.addInitScript(`
          globalThis.shifts = []
          new PerformanceObserver((list) => {
            // Nobody sees less than a ten-thousandth: the browser rounds the place of a picture anew when it has come.
            for (const { value, sources } of list.getEntries())
              if (value >= 0.0001) shifts.push(value.toFixed(4) + ' ' + sources.map(({ node }) => node?.outerHTML?.slice(0, 80)))
          }).observe({ type: 'layout-shift', buffered: true })`)
        await page.goto(path, { waitUntil: 'commit' })
        await page.getByText(first).first().waitFor()
        await page.waitForTimeout(150)
        await takePicture(page, `first-${name}-${view.width}`)
        release()
        await settle(page)
        await page.waitForTimeout(300)
        const shifts: unknown = await page.evaluate('shifts')
        expect(shifts, `${name}, ${view.width} px: what moved`).toEqual([])
        expect(faults).toEqual([])
        await context.close()
      }
  })

  test('the first load is at most 160 KB of compressed script, and at most 200 KB with the charts of Home', async () => {
    const { page, context } = await visit(browser, harness, { user: owner })
    const sizes = new Map<string, number>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.endsWith('.js'))
        sizes.set(
          pathname,
          gzipSync(readFileSync(join(consoleFolder, pathname)), { level: 9 }).length,
        )
    })
    await page.goto('/')
    await settle(page)
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    console.log(`first load of Home: ${total} bytes of script, gzip, in ${sizes.size} files`)
    expect(sizes.size).toBeGreaterThan(0)
    expect(total).toBeLessThanOrEqual(200_000)
    // What the page names itself; the charts come after it, in scripts of their own.
    const html = readFileSync(join(consoleFolder, 'index.html'), 'utf8')
    const first = [...sizes].filter(([path]) => html.includes(path))
    expect(first.length).toBeLessThan(sizes.size)
    for (const [path] of first)
      expect(
        readFileSync(join(consoleFolder, path), 'utf8'),
        `${path} is compiled while it loads`,
      ).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/)
    expect(first.reduce((sum, [, size]) => sum + size, 0)).toBeLessThanOrEqual(160_000)
    await context.close()
  })
})
