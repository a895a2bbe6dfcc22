import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { seedWorkspaces } from '../../test/e2e/seed-workspaces.ts'
import type { CallApi } from '../call-api.ts'
import { measureInteraction, watchEvents, type Interaction } from '../clicks/measure-in-page.ts'
import { benchConfig } from '../config.ts'
import { median, table } from '../figures.ts'
import type { Platform } from '../start-platform.ts'
import { scrolledPages } from './scrolled-pages.ts'
import { measureScrolls } from './scrolls.ts'

const rounds = benchConfig.rounds(5)
const workspaces = 5_000 * benchConfig.scale
const resources = 5_000 * benchConfig.scale
/** To the next paint, as INP counts it; to the page of a link; to a list of all workspaces. */
const limits = { next: 50, route: 100, list: 300 }

type Act = {
  name: string
  /** What the answer is held to; `next` alone where an answer is the next paint. */
  limit: keyof typeof limits
  ready: (page: Page) => Promise<unknown>
  act: (page: Page) => Promise<unknown>
  /** An expression in the page that is true once the answer is on it. */
  shown: string
}
type Place = { plan: string; log: string; workspace: string; name: string }

/** Clicks and keys on pages as large as they get, each some times, and how long the browser took to answer. */
export async function measureInteractions(platform: Platform): Promise<boolean> {
  const place = await seed(platform)
  const origin = new URL(platform.address).origin
  const browser = await chromium.launch({
    executablePath: benchConfig.chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const context = await browser.newContext({
      baseURL: origin,
      viewport: { width: 1440, height: 900 },
    })
    const [name = '', value = ''] = platform.cookie().split('=')
    await context.addCookies([{ name, value, url: origin }])
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await watchEvents(page)
    const answers = await measure(page, actsOn(place))
    return (
      (await measureScrolls(page, scrolledPages({ ...place, workspaces, resources }))) && answers
    )
  } finally {
    await browser.close()
  }
}

async function measure(page: Page, acts: readonly Act[]): Promise<boolean> {
  const rows = [['', 'next paint', 'worst', 'limit', 'answer shown', 'worst', 'limit', '']]
  let good = true
  for (const { name, limit, ready, act, shown } of acts) {
    const times: Interaction[] = []
    for (let round = -1; round < rounds; round += 1) {
      await ready(page)
      const one = await measureInteraction(page, async () => void (await act(page)), shown).catch(
        async (error: Error) => {
          const text = await page.locator('body').innerText()
          throw new Error(`${name}: ${error.message}\n${text.slice(0, 2_000)}`)
        },
      )
      if (round >= 0) times.push(one)
    }
    const next = times.map((one) => one.next)
    const answered = times.map((one) => one.answered)
    const fits = median(next) <= limits.next && median(answered) <= limits[limit]
    good &&= fits
    rows.push([
      name,
      ...inMs([median(next), Math.max(...next), limits.next]),
      ...inMs([median(answered), Math.max(...answered), limits[limit]]),
      fits ? 'ok' : 'OVER',
    ])
  }
  console.log(
    `${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, medians of ${rounds}; ${workspaces} workspaces, ${resources} resources`,
  )
  console.log(`\n${table(rows)}\n`)
  return good
}

const inMs = (values: readonly number[]) => values.map((value) => `${Math.round(value)} ms`)

const heading = (words: string) => `document.querySelector('h1')?.textContent === '${words}'`
const rowTexts = `[...document.querySelectorAll('main a.row')].map((row) => row.textContent)`
const all = (words: string) =>
  `${rowTexts}.length > 0 && ${rowTexts}.every((text) => text.includes('${words}'))`
const found = (words: string) =>
  `[...document.querySelectorAll('main *')].some(({ childElementCount, textContent }) => childElementCount === 0 && ${words}.test(textContent))`

const link = (to: string) => async (page: Page) => page.locator(`nav a[href="${to}"]`).click()
/** Both pages have been open, so that the API and the browser have what they keep. */
const warm = (path: string) => async (page: Page) => {
  for (const at of [path, '/']) {
    await page.goto(at)
    await page.locator('h1').waitFor()
    await sleep(300)
  }
}

const actsOn = (place: Place): readonly Act[] => [
  ...routes(place),
  ...lists(),
  ...plans(place),
  ...logs(place),
]

const routes = ({ workspace, name }: Place): readonly Act[] => [
  ...['Workspaces', 'Runs', 'Pipelines', 'Clouds', 'Cost'].map((title): Act => {
    const path = `/${title.toLowerCase()}`
    return {
      name: `open ${title}`,
      limit: 'route',
      ready: warm(path),
      act: link(path),
      shown: heading(title),
    }
  }),
  {
    name: 'open a workspace',
    limit: 'route',
    ready: async (page) => {
      await page.goto(workspace)
      await page.locator('h1').waitFor()
      await page.goto(`/workspaces?q=${name}`)
      await page.locator('main a.row').first().waitFor()
      await sleep(300)
    },
    act: async (page) => page.locator('main a.row').first().click(),
    shown: heading(name),
  },
]

const listed = async (page: Page) => {
  await page.goto('/workspaces')
  await page.locator('main a.row').nth(59).waitFor()
}
const lists = (): readonly Act[] => [
  {
    name: `${workspaces} workspaces: open`,
    limit: 'list',
    ready: warm('/workspaces'),
    act: link('/workspaces'),
    shown: `${rowTexts}.length === 60`,
  },
  {
    name: `${workspaces} workspaces: a letter of a name`,
    limit: 'list',
    ready: async (page) => {
      await listed(page)
      await page.getByLabel('Filter by name').fill('service-000')
      await sleep(500)
      await page.getByLabel('Filter by name').focus()
    },
    act: async (page) => page.keyboard.type('4'),
    shown: all('service-0004'),
  },
  {
    name: `${workspaces} workspaces: by state`,
    limit: 'list',
    ready: async (page) => {
      await listed(page)
      await page.getByLabel('Last run', { exact: true }).focus()
    },
    // The only state that begins so.
    act: async (page) => page.keyboard.press('F'),
    shown: all('Failed'),
  },
]

const plans = ({ plan }: Place): readonly Act[] => {
  const opened = async (page: Page) => {
    await page.goto(plan)
    await page.locator('.plan-toggle').first().waitFor()
    await sleep(300)
  }
  return [
    {
      name: `${resources} resources: open a row`,
      limit: 'route',
      ready: opened,
      act: async (page) => page.locator('.plan-toggle').nth(1).click(),
      shown: `document.querySelector('.plan-detail') !== null`,
    },
    {
      name: `${resources} resources: expand all`,
      limit: 'list',
      ready: opened,
      act: async (page) => page.getByRole('button', { name: 'Expand all' }).click(),
      shown: `document.querySelectorAll('.plan-detail').length > 3`,
    },
    {
      name: `${resources} resources: a letter of an address`,
      limit: 'list',
      ready: async (page) => {
        await opened(page)
        await page.getByLabel('Filter by address').fill('item[12')
        await page.getByText(/^\d+ found$/).waitFor()
        await page.getByLabel('Filter by address').focus()
      },
      act: async (page) => page.keyboard.type(']'),
      shown: found('/^1 found$/'),
    },
  ]
}

const logs = ({ log }: Place): readonly Act[] => {
  const opened = async (page: Page) => {
    await page.goto(log)
    await page.locator('.log-row').first().waitFor()
    await sleep(500)
  }
  return [
    {
      name: 'log: a letter of a search',
      limit: 'list',
      ready: async (page) => {
        await opened(page)
        await page.locator('.log-search input').fill('item[12')
        await sleep(500)
        await page.locator('.log-search input').focus()
      },
      act: async (page) => page.keyboard.type(']'),
      shown: found('/^1 of [1-9]$/'),
    },
    {
      name: 'log: to its start',
      limit: 'route',
      ready: async (page) => {
        await opened(page)
        await page.locator('.log-box').evaluate('(box) => { box.scrollTop = box.scrollHeight }')
        await page.locator('.log-box').focus()
        await sleep(300)
      },
      act: async (page) => page.keyboard.press('Home'),
      shown: `document.querySelector('.log-box').scrollTop === 0`,
    },
  ]
}

const files = {
  'main.tf': `resource "terraform_data" "item" {
  count = ${resources}
  input = "item \${count.index}"
}
`,
}

/** A plan of many resources by the real worker, whose log has two lines for each, and many workspaces. */
async function seed({ call, store }: Platform): Promise<Place> {
  const name = 'a-large-one'
  const made = await call('POST', '/workspaces', { name, criticality: 'standard' })
  const { id } = made.body['workspace'] as { id: number }
  await call('PUT', `/workspaces/${id}/configuration`, { files })
  const runId = await planned(call, id)
  const [organization, user] = await Promise.all([
    store.platform('organizations').first('id'),
    store.platform('users').first('id'),
  ])
  await seedWorkspaces(store, Number(organization.id), {
    authorId: Number(user.id),
    count: workspaces,
  })
  return {
    name,
    workspace: `/workspaces/${id}`,
    plan: `/workspaces/${id}/runs/${runId}?tab=plan`,
    log: `/workspaces/${id}/runs/${runId}?tab=log&stage=plan`,
  }
}

async function planned(call: CallApi, id: number): Promise<number> {
  const started = await call('POST', `/workspaces/${id}/plan`, {})
  const { id: runId } = started.body['run'] as { id: number }
  for (;;) {
    const { body } = await call('GET', `/workspaces/${id}/runs/${runId}`)
    const { state } = body['run'] as { state: string }
    if (state === 'succeeded') return runId
    if (state !== 'running') throw new Error(`the plan of ${resources} resources is ${state}`)
    await sleep(500)
  }
}
