import { join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readErrorCodes } from '../../scripts/architecture/error-codes.ts'
import { gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { connectRepository } from './git-world.ts'
import { createWorld, type World } from './world.ts'
import { wrongWords } from './wrong-words.ts'

/** Pages that ask for nothing beyond who is signed in. */
const asksNothing = new Set(['roles', 'help', 'not-found', 'policy-new', 'cloud-connect'])

const refusal = (status: number, error: string, code: string) => ({
  answer: async (route: Route) => route.fulfill({ status, json: { error, code } }),
  words: error,
})
const broken = refusal(500, 'Something went wrong.', 'internal')
const away = refusal(503, 'The database is away.', 'unavailable')
const silent = {
  answer: async (route: Route) => route.abort(),
  words: 'The service does not answer.',
}

const now = new Date().toISOString()
/** A list of one Git connection, as the API answers. */
const connected = {
  connections: [
    {
      id: 1,
      provider: 'gitlab',
      host: 'git.example.com',
      defaultRepo: 'shop/infra',
      defaultBranch: 'main',
      repoType: 'infra',
      status: 'healthy',
      statusReason: null,
      tokenSet: true,
      webhook: { state: 'active', reason: null },
      checkedAt: now,
      createdAt: now,
      updatedAt: now,
    },
  ],
  nextCursor: null,
}

/** An error as the API words it for programs, with all that a person must not see. */
const forPrograms = (code: string, status = 409) => ({
  status,
  json: {
    code,
    error: 'PUT /api/workspaces/1?abandon=true needs mutate_infra. Set gitConnectionId.',
    details: [{ path: 'gitConnectionId', message: 'needs mutate_infra, see /api/docs?x=1' }],
  },
})

// Each page says in the API's own words what failed, and goes on by itself when it is back.
describe('a failing API', () => {
  let harness: GitHarness
  let browser: Browser
  let world: World
  const codes = [...readErrorCodes(join(import.meta.dirname, '../..')).codes.keys()].filter(
    (code) => code !== 'unauthenticated',
  )
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([gitHarness(peerMakers.gitlabPeer), openBrowser()])
    world = await createWorld(harness)
    await connectRepository(harness, world)
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const fail = async (page: Page, answer: (route: Route) => Promise<void>) =>
    page.route((url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/auth/me', answer)

  test('a refusal, then no answer at all: every page says either, stays usable, and recovers', async () => {
    const pages = Object.entries(world.at).filter(([name]) => !asksNothing.has(name))
    const half = Math.ceil(pages.length / 2)
    // Two at once: half of the time a page waits before it asks again.
    await Promise.all([failOn(pages.slice(0, half)), failOn(pages.slice(half))])
  })

  async function failOn(pages: ReadonlyArray<[name: string, path: string]>): Promise<void> {
    const { page, context, faults } = await visit(browser, harness, { user: world.owner })
    // As the browser does when its network is back; without that, each five seconds.
    const lookAgain = async () => page.evaluate(`dispatchEvent(new Event('online'))`)
    const alert = (words: string) =>
      page.getByRole('alert', { includeHidden: true }).getByText(words).first()
    for (const [turn, [name, path]] of pages.entries()) {
      // To a page the two refusals are one, so each has either.
      const { answer, words } = turn % 2 === 0 ? broken : away
      await fail(page, answer)
      await page.goto(path)
      await alert(words).waitFor({ state: 'attached' })
      await expectAccessible(page, `${name} with a failing API`)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await fail(page, silent.answer)
      await lookAgain()
      await alert(silent.words).waitFor({ state: 'attached' })
      expect(await page.getByRole('navigation', { includeHidden: true }).count()).toBeGreaterThan(0)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await lookAgain()
      await alert(words).waitFor({ state: 'detached' })
      await alert(silent.words).waitFor({ state: 'detached' })
      await settle(page)
    }
    expect(faults).toEqual([])
    await context.close()
  }

  test('who is signed in cannot be asked: the page says so and comes by itself', async () => {
    const { page, context } = await visit(browser, harness, { user: world.owner })
    await page.route('**/api/**', away.answer)
    await page.goto('/workspaces')
    await page.getByText('This page could not be shown').waitFor()
    await expectAccessible(page, 'nothing answers')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('link', { name: /shop-production/ }).waitFor()
    await context.close()
  })

  test('the network goes while somebody reads: what was there stays, with a banner', async () => {
    const { page, context } = await visit(browser, harness, { user: world.owner })
    await page.goto('/workspaces')
    await page.getByRole('link', { name: /shop-production/ }).waitFor()
    await settle(page)
    await context.setOffline(true)
    const banner = page.getByText('The service does not answer. What you see')
    await banner.waitFor()
    await page.getByRole('link', { name: /shop-production/ }).waitFor()
    await context.setOffline(false)
    await banner.waitFor({ state: 'hidden', timeout: 60_000 })
    await context.close()
  })

  test('an action that fails says why, and what was typed stays', async () => {
    const { page, context } = await visit(browser, harness, { user: world.owner })
    await page.goto('/workspaces?create=true')
    await page.getByLabel('Name', { exact: true }).fill('typed-with-care')
    await page.route('**/api/workspaces', away.answer)
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('dialog').getByText('The database is away.').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('typed-with-care')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('heading', { name: 'typed-with-care' }).waitFor()

    // An action is not repeated, so nothing promises it; only the request for a list is.
    await page.route('**/api/git/connections?*', async (route) =>
      route.fulfill({ json: connected }),
    )
    await page.route('**/api/git/connections/1/validate', away.answer)
    const alert = page.getByRole('alert')
    await page.goto('/organization/git')
    await page.getByRole('button', { name: 'Check shop/infra' }).click()
    await alert.getByText('The database is away.').waitFor()
    expect(await alert.innerText()).not.toContain('tries again')
    await context.close()
  })

  test('every page whose requests are refused, each time with another code', async () => {
    const { page, context } = await visit(browser, harness, { user: world.owner })
    const wrong: string[] = []
    let turn = 0
    await page.route(
      (url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/auth/me',
      async (route: Route) => {
        turn += 1
        await route.fulfill(forPrograms(codes[turn % codes.length] ?? 'internal', 400))
      },
    )
    for (const [name, path] of Object.entries(world.at)) {
      await page.goto(path)
      await page.locator('h1').first().waitFor()
      await page.waitForTimeout(200)
      wrong.push(...(await wrongWords(page, name)))
    }
    expect(wrong).toEqual([])
    await context.close()
  })

  // The words of every code are in test/console/words/error-words.test.ts.
  test('a form that is refused says why, whatever the code', async () => {
    const { page, context } = await visit(browser, harness, { user: world.owner })
    let code = ''
    await page.route('**/api/workspaces', async (route) =>
      route.request().method() === 'POST' ? route.fulfill(forPrograms(code)) : route.continue(),
    )
    await page.goto('/workspaces?create=true')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('never-made')
    const wrong: string[] = []
    for (code of codes.filter((_, n) => n % 40 === 0)) {
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      await dialog.getByRole('button', { name: 'Create workspace' }).click()
      await answered
      await dialog.getByRole('alert').waitFor()
      await page.waitForTimeout(30)
      const said = await dialog.getByRole('alert').innerText()
      if (!/^[A-Z].+[.]/.test(said)) wrong.push(`${code}: ${said}`)
      wrong.push(...(await wrongWords(page, code)))
    }
    expect(wrong).toEqual([])
    await context.close()
  })
})
