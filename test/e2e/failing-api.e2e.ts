import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { createWorld, type World } from './world.ts'

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

// Each page says in the API's own words what failed, and goes on by itself when it is back.
describe('a failing API', () => {
  let harness: Harness
  let browser: Browser
  let world: World
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness({ worker: true }), openBrowser()])
    world = await createWorld(harness)
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const fail = async (page: Page, answer: (route: Route) => Promise<void>) =>
    page.route((url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/auth/me', answer)

  test('a refusal, then no answer at all: every page says either, stays usable, and recovers', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: world.owner })
    const pages = Object.entries(world.at).filter(([name]) => !asksNothing.has(name))
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
  })

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
    const { page, context } = await visit(browser, harness, { user: world.author })
    await page.goto('/workspaces?create=true')
    await page.getByLabel('Name', { exact: true }).fill('typed-with-care')
    await page.route('**/api/workspaces', away.answer)
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('dialog').getByText('The database is away.').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('typed-with-care')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('heading', { name: 'typed-with-care' }).waitFor()
    await context.close()
  })
})
