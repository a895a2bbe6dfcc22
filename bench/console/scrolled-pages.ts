import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { ScrolledPage } from './scrolls.ts'

/** The pages whose scroll is measured: a long plan, its log and a long list. `plan` and `log` are paths. */
export function scrolledPages({
  plan,
  log,
  workspaces,
  resources,
}: {
  plan: string
  log: string
  workspaces: number
  resources: number
}): readonly ScrolledPage[] {
  const count = new RegExp(`${String(resources).split('').join(',?')}$`)
  const closed = async (page: Page) => {
    // By module all changes are read; else the page reads on as one scrolls.
    await page.goto(`${plan}&by=module`)
    await page.getByRole('heading', { name: count }).waitFor()
  }
  return [
    { name: `${resources} resources, closed`, limitMs: 33, open: closed },
    {
      name: `${resources} resources, open`,
      limitMs: 60,
      open: async (page) => {
        await closed(page)
        await page.getByRole('button', { name: 'Expand all' }).click()
        await page.locator('.plan-detail').first().waitFor()
      },
    },
    {
      name: `a log of ${2 * resources} lines`,
      limitMs: 33,
      box: '.log-box',
      open: async (page) => {
        await page.goto(`${log}&line=1`)
        await page.locator('.log-row.linked').waitFor()
      },
    },
    {
      name: `${workspaces} workspaces`,
      limitMs: 33,
      open: async (page) => {
        await page.goto('/workspaces')
        const rows = page.locator('main .rows li')
        await rows.first().waitFor()
        for (let shown = 0; shown < (await rows.count());) {
          shown = await rows.count()
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
          await sleep(1_000)
        }
        await page.evaluate('scrollTo(0, 0)')
      },
    },
  ]
}
