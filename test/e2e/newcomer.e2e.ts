import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { connectedAccount, resourceRows } from '../harness/clouds/cloud-rows.ts'
import { charge, loadCharges, storeCharges } from '../harness/cost-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { connectOwner } from '../../store/driver/connect.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit, type View } from './browser.ts'
import { named } from './people.ts'

const narrow: View = { scheme: 'light', width: 390 }
const arn = 'arn:aws:ec2:eu-west-1:123456789012:instance/i-0123456789abcdef0'
const tags = {
  team: 'checkout',
  environment: 'production-of-the-shop',
  'cost-center': '4711',
  'kubernetes.io/cluster/shop': 'owned',
  note: 'a value without a space '.repeat(4),
}

// What a newcomer met in the browser: each was a dead end or a claim that was not true.
describe('a newcomer', () => {
  let harness: Harness
  let browser: Browser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([
      createHarness({ env: { CC_AWS_IDENTITY: 'environment' } }),
      openBrowser(),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const alone = async () => {
    const org = await harness.organization()
    return { org, owner: await named(harness, org, { name: 'Maria Lopez', role: 'Owner' }) }
  }
  const open = async (
    path: string,
    as: Awaited<ReturnType<typeof alone>>['owner'],
    view?: View,
  ) => {
    const visitor = await visit(browser, harness, { user: as, ...(view && { view }) })
    await visitor.page.goto(path)
    await settle(visitor.page)
    return visitor
  }

  test('who is alone is told to invite a second person before a production workspace is made', async () => {
    const { owner } = await alone()
    const { page, context, faults } = await open('/', owner)
    const steps = page.getByRole('region', { name: /^First steps/ }).getByRole('listitem')
    expect(await steps.first().innerText()).toContain('Invite a second person')
    await page.goto('/workspaces?create=true')
    const dialog = page.getByRole('dialog')
    const hint = dialog.getByText('Invite a second person first')
    expect(await hint.count()).toBe(0)
    await dialog.getByLabel('Criticality').selectOption('production')
    await hint.waitFor()
    await expectAccessible(page, 'a new workspace of a person who is alone')
    await dialog.getByRole('link', { name: 'Invite a person' }).click()
    await page.getByRole('dialog').getByLabel('Email').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a run that nobody may approve does not send its author to invite somebody', async () => {
    const { org, owner } = await alone()
    const production = await org.workspace({ by: owner, criticality: 'production' })
    const { approveUrl } = await approvalWorld(harness).waitingRun(org, owner, production)
    const path = approveUrl.replace('/api', '').replace(/\/approve$/, '')
    const { page, context, faults } = await open(path, owner)
    await page.getByText('whom one of its authors invites now cannot approve it').waitFor()
    await page.getByText('make a new workspace after they have joined').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('resources: the name is read without a break each eight signs, and tags fold', async () => {
    const { org, owner } = await alone()
    const at = { organizationId: org.id, accountId: await connectedAccount(harness, org.id) }
    await resourceRows(harness, at, [{ cloudId: arn, name: 'web 1', tags }])
    const { page, context, faults } = await open('/clouds/resources', owner)
    const name = page.locator('main tbody th').first()
    expect((await name.boundingBox())?.width).toBeGreaterThanOrEqual(250)
    expect(await page.locator('main tbody tr a.tag:visible').count()).toBe(3)
    const more = page.getByText('+ 2 more')
    await more.focus()
    await page.keyboard.press('Enter')
    await expect.poll(async () => page.locator('main tbody tr a.tag:visible').count()).toBe(5)
    await expectAccessible(page, 'tags of a resource')
    const hidden = await page.evaluate(
      '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".table-box"))',
    )
    expect(hidden).toBe(0)
    expect(faults).toEqual([])
    await context.close()
    const small = await open('/clouds/resources', owner, narrow)
    await expectNoSideways(small.page, 'resources')
    await small.context.close()
  })

  test('cost: a period without cost leads to the newest bill', async () => {
    const { org, owner } = await alone()
    await storeCharges(harness.deps.store.platform, org.id, [
      charge({ day: '2024-09-29', effective: '12' }),
      charge({ day: '2024-09-30', effective: '30' }),
    ])
    const { page, context, faults } = await open('/cost', owner)
    await page.getByText('No cost in this period. The newest bill ends Sep 30, 2024.').waitFor()
    await page.getByRole('link', { name: 'Show September 2024' }).click()
    await page.locator('.stat').getByText('$42.00').waitFor()
    await page.goto('/cost?from=2024-09-01&to=2024-09-30&service=nothing')
    await page.getByText('No cost in this period.', { exact: true }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('unmanaged cost is a share of the cost of resources, and nothing is said of none', async () => {
    const { org, owner } = await alone()
    const rows = connectOwner(harness.config.databaseUrl)
    const day = new Date().toISOString().slice(0, 10)
    try {
      await loadCharges({ owner: rows, db: harness.deps.store.platform, organizationId: org.id }, [
        { day, resourceId: arn, effective: '120' },
        { day, resourceId: null, effective: '-20' },
      ])
    } finally {
      await rows.destroy()
    }
    const { page, context, faults } = await open('/cost/unmanaged', owner)
    const share = page.locator('.stat').filter({ hasText: 'of the cost of resources' })
    await share.getByText('100.0 %').waitFor()
    await page.goto('/cost/unmanaged?from=2020-01-01&to=2020-01-31')
    await page.getByText('No cost in this period.', { exact: true }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('390 px: the current page is in view in the main navigation', async () => {
    const { owner } = await alone()
    const { page, context, faults } = await open('/organization', owner, narrow)
    await expectInView(page, 'Organization')
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('heading', { name: 'Workspaces', exact: true }).waitFor()
    await expectInView(page, 'Workspaces')
    await page.goto('/cost')
    await expectInView(page, 'Cost')
    expect(faults).toEqual([])
    await context.close()
  })

  test('a field that asks for a form of its own says it in the bubble of the browser', async () => {
    const { owner } = await alone()
    const { page, context } = await open('/workspaces?create=true', owner)
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true })
    expect(await name.getAttribute('title')).toBe('Lower-case letters, digits and hyphens.')
    await context.close()
  })

  test('keyless AWS: an issuer that AWS cannot reach is said before the steps', async () => {
    const { owner } = await alone()
    const { page, context, faults } = await open('/clouds/connect', owner)
    const note = page.getByText('AWS cannot reach this address.')
    await page.getByLabel('Account id').fill('123456789012')
    await page.getByRole('button', { name: 'Show what to set up' }).click()
    await note.waitFor()
    await page.getByText('or use an access key.').waitFor()
    expect(await page.getByText('External id', { exact: true }).count()).toBe(0)
    await expectAccessible(page, 'an issuer that cannot be reached')
    await page.getByLabel('How cloud-control signs in').selectOption('role')
    await page.getByRole('button', { name: 'Show what to set up' }).click()
    await page.getByText('External id', { exact: true }).waitFor()
    expect(await note.count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('the audit page keeps a label on its line, and Home keeps its headings apart', async () => {
    const { org, owner } = await alone()
    const workspace = await org.workspace({ by: owner })
    const { run } = (await owner.post(`${workspace.url}/plan`, {})).json()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_runs')
        .where({ id: run.id })
        .update({ phase: 'succeeded', endedAt: new Date() }),
    )
    const { page, context } = await open('/organization/audit', owner)
    const label = page.getByText('On anything named', { exact: true })
    expect((await label.boundingBox())?.height).toBeLessThan(30)
    await page.goto('/')
    const all = page.getByRole('link', { name: 'All activity of the organization' })
    const heading = page.getByRole('heading', { name: /30 days/ }).first()
    await heading.waitFor()
    const [above, below] = [await all.boundingBox(), await heading.boundingBox()]
    expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThanOrEqual(20)
    await context.close()
  })
})

async function expectInView(page: Page, name: string): Promise<void> {
  const nav = page.getByRole('navigation', { name: 'Main' })
  await nav.getByRole('link', { name, exact: true }).waitFor()
  const isIn = async () => {
    const [row, link] = [
      await nav.boundingBox(),
      await nav.getByRole('link', { name, exact: true }).boundingBox(),
    ]
    return row && link && link.x >= row.x - 1 && link.x + link.width <= row.x + row.width + 1
  }
  await expect.poll(isIn, { message: name }).toBe(true)
}
