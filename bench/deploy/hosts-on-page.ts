import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { buildConsole } from '../../scripts/start/build-console.ts'
import { scrollThrough } from '../../test/e2e/scroll-through.ts'
import { benchConfig } from '../config.ts'
import { atMost, median, type Held } from '../figures.ts'
import { deployBy, openFleet } from './fleet.ts'
import type { World } from './world.ts'

const rounds = benchConfig.rounds(5)
const hosts = Math.round(1_000 * benchConfig.scale)

/** The limits of docs/decisions/0218-what-a-deployment-costs.md. */
const mayBe = { taskMs: 50 }

/** The longest task of the browser's main thread while somebody scrolls through 1,000 hosts, on a run and on a workspace. */
export async function hostsOnPage(world: World): Promise<Held[]> {
  const root = join(import.meta.dirname, '../..')
  const { signal } = new AbortController()
  await buildConsole({ root, say: (line) => console.log(line), signal })
  const fleet = await openFleet(world, { name: 'page', size: 10, hosts })
  const since = Date.now()
  const runId = await deployBy(fleet, 'at-once', async () => {})
  console.log(`a deployment to ${hosts} hosts at once: ${Date.now() - since} ms`)
  for (const agent of fleet.agents) agent.close()
  const { address, cookie } = world.platform
  const origin = address.replace(/\/api$/, '')
  const [name = '', value = ''] = cookie().split('=')
  const browser = await chromium.launch({ executablePath: benchConfig.chromium })
  try {
    const context = await browser.newContext({ baseURL: origin })
    await context.addCookies([{ name, value, url: origin }])
    const page = await context.newPage()
    await watchTasks(page)
    const run = `${fleet.application.runs}/${runId}?tab=hosts`
    const ofWorkspace = `/workspaces/${fleet.workspaceId}?tab=agents`
    return [
      await longestTask(page, { path: run, list: 'Hosts by batch', what: 'of a run' }),
      await longestTask(page, { path: ofWorkspace, list: 'Hosts', what: 'of a workspace' }),
    ]
  } finally {
    await browser.close()
  }
}

/** Before the first page is opened. */
async function watchTasks(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.longTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longTasks.push(duration)
    }).observe({ type: 'longtask' })`)
}

async function longestTask(
  page: Page,
  { path, list, what }: { path: string; list: string; what: string },
): Promise<Held> {
  const longest: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(path)
    const rows = page.getByRole('list', { name: list })
    await rows.locator('[data-row]').first().waitFor()
    await page.waitForTimeout(1_000)
    await page.evaluate('longTasks.length = 0')
    await scrollThrough(page)
    await rows.getByText(`page-${hosts}`, { exact: true }).waitFor()
    // Entries are delivered after the task.
    await page.waitForTimeout(500)
    longest.push(await page.evaluate<number>('Math.max(0, ...longTasks)'))
  }
  return atMost(
    `the longest task of a scroll through ${hosts} hosts ${what}, if over 50 ms`,
    [median(longest), mayBe.taskMs],
    'ms',
  )
}
