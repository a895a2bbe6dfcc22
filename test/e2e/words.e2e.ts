import { join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readErrorCodes } from '../../scripts/architecture/error-codes.ts'
import { gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { openBrowser, settle, visit } from './browser.ts'
import { connectRepository } from './git-world.ts'
import { createWorld, type World } from './world.ts'

/** Names of the API, and English that no colleague would say (docs/console-words.md). */
const banned: readonly RegExp[] = [
  /\S*\/api\/\S*/,
  /\?\w+=/,
  /\b[a-z]+(_[a-z]+)+\b/,
  /\b(git|cloud|workspace|pipeline|organization|run)(Connection|Account)?Id\b/,
  /Idempotency-Key/,
  /\b(undefined|NaN)\b|\[object Object\]/,
  /\b(whoever|nobody who(m)?|anew|told of)\b/i,
  /none that many people|was not taken|no longer holds/,
  /Failed recently|Log of (plan|apply)/,
]

/** All that a person reads or hears, but what is shown as code or was typed by a person. */
const readText = `(() => {
  const copy = document.body.cloneNode(true)
  for (const one of copy.querySelectorAll('code, pre, textarea, script, style, noscript, svg, bdi, .log')) one.remove()
  const said = [...copy.querySelectorAll('[aria-label], [placeholder], [title]')].flatMap((one) =>
    ['aria-label', 'placeholder', 'title'].map((name) => one.getAttribute(name) ?? ''))
  return [copy.textContent, ...said].join(' \\n ')
})()`

async function wrongWords(page: Page, where: string): Promise<string[]> {
  // The address of a resource, in the message of a policy, is the author's own.
  const text = String(await page.evaluate(readText)).replaceAll(
    /\b[a-z]\w*_\w+\.\w+(\[[^\]]*\])?/g,
    '',
  )
  return banned.flatMap((pattern) => {
    const at = text.search(pattern)
    return at < 0 ? [] : [`${where}: ${text.slice(Math.max(0, at - 40), at + 60).trim()}`]
  })
}

/** An error as the API words it for programs, with all that a person must not see. */
const answer = (code: string, status = 409) => ({
  status,
  json: {
    code,
    error: 'PUT /api/workspaces/1?abandon=true needs mutate_infra. Set gitConnectionId.',
    details: [{ path: 'gitConnectionId', message: 'needs mutate_infra, see /api/docs?x=1' }],
  },
})

describe('the words of the console', () => {
  let harness: GitHarness
  let browser: Browser
  let world: World
  const codes = [...readErrorCodes(join(import.meta.dirname, '../..')).codes.keys()]
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([gitHarness(peerMakers.gitlabPeer), openBrowser()])
    world = await createWorld(harness)
    await connectRepository(harness, world)
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test.each(['owner', 'viewer'] as const)('every page, as %s', async (who) => {
    const { page, context } = await visit(browser, harness, { user: world[who] })
    const wrong: string[] = []
    for (const [name, path] of Object.entries(world.at)) {
      await page.goto(path)
      await settle(page)
      wrong.push(...(await wrongWords(page, name)))
    }
    expect(wrong).toEqual([])
    await context.close()
  })

  test('every page whose requests are refused, each time with another code', async () => {
    const { page, context } = await visit(browser, harness, { user: world.owner })
    const wrong: string[] = []
    const refusals = codes.filter((code) => code !== 'unauthenticated')
    let turn = 0
    await page.route(
      (url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/auth/me',
      async (route: Route) => {
        turn += 1
        await route.fulfill(answer(refusals[turn % refusals.length] ?? 'internal', 400))
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

  test('a form that is refused with each code', async () => {
    const { page, context } = await visit(browser, harness, { user: world.owner })
    let code = ''
    await page.route('**/api/workspaces', async (route) =>
      route.request().method() === 'POST' ? route.fulfill(answer(code)) : route.continue(),
    )
    await page.goto('/workspaces?create=true')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('never-made')
    const wrong: string[] = []
    for (code of codes.filter((one) => one !== 'unauthenticated')) {
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
