import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { expect, onTestFailed } from 'vitest'
import type { Harness } from '../harness/create-harness.ts'
import type { TestUser } from '../harness/test-user.ts'

/** The first is Chromium without the frame of its windows, which would be drawn too and looked at by nobody. */
const programs = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The machine's own browser, which calls nobody but the service. */
export async function openBrowser(): Promise<Browser> {
  const executablePath =
    process.env['CC_CHROMIUM_BIN'] ?? programs.find((program) => existsSync(program))
  if (!executablePath) throw new Error('no Chromium here: apt-get install chromium')
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  })
}

export type View = { scheme: 'light' | 'dark'; width: 360 | 390 | 1440 }
/** Each width, in the light theme. */
export const everyWidth: readonly View[] = [
  { scheme: 'light', width: 1440 },
  { scheme: 'light', width: 360 },
]
/** Each theme and each width once. The pages themselves are looked at in both themes at each (pages.e2e.ts). */
export const views: readonly View[] = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 360 },
]

type Visitor = {
  context: BrowserContext
  page: Page
  /** What a browser must never have: a call to somebody else, an uncaught error, a refused script. */
  faults: string[]
}

/** A browser of one person's own; signed in where a user is given. */
export async function visit(
  browser: Browser,
  harness: Harness,
  {
    user,
    view = { scheme: 'light', width: 1440 },
    zone = 'UTC',
  }: { user?: TestUser; view?: View; zone?: string } = {},
): Promise<Visitor> {
  const baseURL = `http://127.0.0.1:${harness.config.port}`
  const context = await browser.newContext({
    baseURL,
    colorScheme: view.scheme,
    timezoneId: zone,
    viewport: { width: view.width, height: view.width === 1440 ? 900 : 844 },
    reducedMotion: 'reduce',
  })
  if (user) await signInAs(context, baseURL, user)
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
  page.on('console', (message) => {
    const [kind, text] = [message.type(), message.text()]
    // A refusal is the service's to give, and the page's to show; the browser notes it down anyway.
    if (/^(error|warning)$/.test(kind) && !text.startsWith('Failed to load resource'))
      faults.push(text)
  })
  // The console asks in its own words: a dialog of the browser's would be a page that forgot to.
  page.on('dialog', (dialog) => {
    faults.push(`${dialog.type()}: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== baseURL) faults.push(`third party: ${request.url()}`)
  })
  // What was on the screen tells more than what was not.
  onTestFailed(async () => {
    const text = await page.locator('body').innerText({ timeout: 2_000 }).catch(String)
    console.log(`--- ${page.url()}\n${text.slice(0, 3_000)}\n---`)
  })
  return { context, page, faults }
}

async function signInAs(context: BrowserContext, url: string, user: TestUser): Promise<void> {
  await context.addCookies([
    { name: 'cc_session', value: user.cookie, url, httpOnly: true, sameSite: 'Lax' },
  ])
}

/** No page may be wider than its window: what is long scrolls inside of itself. */
export async function expectNoSideways(page: Page, where: string): Promise<void> {
  const wider: unknown = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(wider, `${where} is wider than its window`).toBeLessThanOrEqual(0)
}

/** Shown in full: nothing is being loaded, and what is live stands still. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page
    .getByText(/^(Loading|Looking|Connecting)/)
    .first()
    .waitFor({ state: 'hidden' })
  await page.waitForTimeout(120)
}
