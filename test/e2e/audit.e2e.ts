import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainHeads } from '../../gateways/keyring/chain-heads.ts'
import { connectOwner } from '../../store/driver/connect.ts'
import { sealAudit } from '../../store/platform/audit-sealer.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit, type View } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

const path = '/organization/audit'

describe('the audit log', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let author: TestUser
  let shop: TestWorkspace
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
    author = await named(harness, org, { name: 'Sam Okafor', role: 'Deployer' })
    shop = await org.workspace({ by: author })
    await author.patch(shop.url, { name: 'shop-staging' })
    await author.post(`${shop.url}/lock`, { reason: 'moving the network by hand' })
    await author.post(`${shop.url}/variables`, { key: 'db_size', value: '3' })
    await owner.patch('/api/org/settings', { approvalExpiryHours: 48 })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const entries = (page: Page) => page.locator('.audit-day li')
  const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
  const open = async (at = path, view?: View) => {
    const visitor = await visit(browser, harness, { user: owner, ...(view && { view }) })
    await visitor.page.goto(at)
    await entries(visitor.page).first().waitFor()
    return visitor
  }

  test('says its detail in words, and its codes only under "All fields"', async () => {
    const { page, context, faults } = await open()
    const settings = entries(page).filter({ hasText: 'changed the settings' })
    expect(await settings.innerText()).toContain('Approval expires after: 168 → 48')
    const said = await page.locator('.audit-day').first().innerText()
    expect(said).not.toMatch(/org\.settings_updated|workspace\.locked|variableId|"/)
    const variable = entries(page).filter({ hasText: 'created a variable of shop-staging' })
    // A key that a person chose stays as it is.
    expect(await variable.innerText()).toContain('Key: db_size')
    await variable.getByText('All fields').focus()
    await page.keyboard.press('Enter')
    await variable.getByText('workspace.variable_created').waitFor()
    await variable.getByText(/"kind":"terraform"/).waitFor()
    await variable.getByRole('link', { name: 'workspace.variable_created' }).press('Enter')
    await expect.poll(async () => search(page)).toEqual({ event: 'workspace.variable_created' })
    await expect.poll(async () => entries(page).count()).toBe(1)
    expect(faults).toEqual([])
    await context.close()
  })

  test('is narrowed by who, what, target and time, which the address keeps as chips', async () => {
    const { page, context, faults } = await open()
    await page.getByRole('combobox', { name: 'Who' }).focus()
    await page.keyboard.type('Sam')
    await page.getByRole('option', { name: 'Sam Okafor' }).waitFor()
    await expect.poll(async () => page.locator('[role=option]').count()).toBe(1)
    await page.keyboard.press('Enter')
    const set = page.getByRole('list', { name: 'Filters that are set' })
    await set.getByText('By Sam Okafor').waitFor()
    expect(search(page)).toEqual({ actor: `user:${author.id}` })
    await expect
      .poll(async () => entries(page).filter({ hasText: 'changed the settings' }).count())
      .toBe(0)
    await page.getByLabel('What', { exact: true }).selectOption('Locked a workspace')
    await set.getByText('Locked a workspace').waitFor()
    await expect.poll(async () => entries(page).count()).toBe(1)
    await page.getByRole('list', { name: 'Spans of time' }).getByText('Today').click()
    await page.getByRole('combobox', { name: 'On a workspace' }).focus()
    await page.keyboard.type('shop')
    await page.getByRole('option', { name: 'shop-staging' }).waitFor()
    await page.keyboard.press('Enter')
    await set.getByText('On shop-staging').waitFor()
    expect(Object.keys(search(page)).toSorted()).toEqual(['actor', 'event', 'from', 'target'])
    await page.reload()
    await expect.poll(async () => set.getByRole('listitem').count()).toBe(5)
    await expect.poll(async () => entries(page).count()).toBe(1)
    // To the workspace and back: the filters are still there.
    await entries(page).getByRole('link', { name: 'shop-staging' }).first().click()
    await page.getByRole('heading', { name: 'shop-staging' }).waitFor()
    await page.goBack()
    await set.getByRole('link', { name: 'Remove the filter “Locked a workspace”' }).press('Enter')
    await expect.poll(async () => entries(page).count()).toBeGreaterThan(1)
    await set.getByRole('link', { name: 'Clear all' }).press('Enter')
    await set.waitFor({ state: 'detached' })
    expect(search(page)).toEqual({})
    expect(faults).toEqual([])
    await context.close()
  })

  test('takes any name as a target, and says when nothing matches', async () => {
    const { page, context, faults } = await open()
    await page.getByLabel('On anything named').fill('nobody@nowhere.example')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing matches').waitFor()
    await page.goto(`${path}?actor=user:999999&event=pipeline.*&target=run:7`)
    const set = page.getByRole('list', { name: 'Filters that are set' })
    for (const words of ['By a former member', 'Pipelines and runs', 'On run 7'])
      await set.getByText(words).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a day is the viewer’s own', async () => {
    // Where the day begins ten hours before it does in UTC on the day before.
    const far = await visit(browser, harness, { user: owner, zone: 'Pacific/Kiritimati' })
    const asked = far.page.waitForRequest(/api\/audit\?/)
    await far.page.goto(`${path}?from=2026-03-02&to=2026-03-02`)
    const { searchParams } = new URL((await asked).url())
    expect([searchParams.get('from'), searchParams.get('to')]).toEqual([
      '2026-03-01T10:00:00.000Z',
      '2026-03-02T10:00:00.000Z',
    ])
    await far.context.close()
  })

  test('axe, width and pictures', async () => {
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [360, 1440] as const) {
        const { page, context, faults } = await open(`${path}?event=workspace`, { scheme, width })
        await page.getByText('All fields').first().click()
        await settle(page)
        const where = `audit-${scheme}-${width}`
        await expectAccessible(page, where)
        await expectNoSideways(page, where)
        await takePicture(page, where)
        expect(faults).toEqual([])
        await context.close()
      }
  })

  test('is verified on request, and a changed entry is named', async () => {
    const { page, context, faults } = await open()
    const verify = page.getByRole('button', { name: 'Verify the log' })
    const { store, keyring } = harness.deps
    while ((await sealAudit(store.platform, chainHeads(keyring))).sealed > 0);
    await verify.press('Enter')
    await page
      .getByText(/^Verified: none of the \d+ sealed entries was changed or removed\.$/)
      .waitFor()
    const id = await changeSecondEntry(harness, org)
    await verify.press('Enter')
    await page.getByText(`Entry ${id} differs from what was sealed`).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})

/** As the owner of the database could, whose changes the chain has to reveal. The second oldest sealed entry. */
async function changeSecondEntry(harness: Harness, org: TestOrganization): Promise<number> {
  const owner = connectOwner(harness.config.databaseUrl)
  try {
    return await owner.transaction(async (trx) => {
      const { rows } = await trx.raw(
        'select entry_id as id from audit_seals where organization_id = ? order by position offset 1 limit 1',
        [org.id],
      )
      await trx.raw('alter table audit_entries disable trigger user')
      await trx.raw(`update audit_entries set actor_label = 'me' where id = ?`, [rows[0].id])
      await trx.raw('alter table audit_entries enable trigger user')
      return Number(rows[0].id)
    })
  } finally {
    await owner.destroy()
  }
}
