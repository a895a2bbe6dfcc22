import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { openBrowser, visit } from './browser.ts'
import { focused } from './focused.ts'

describe('filters that are typed', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    owner = await org.user('Owner')
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  /** Whether a part of a date is typed. */
  const isHalf = async (day: Locator): Promise<boolean> =>
    day.evaluate((field) => field.matches(':invalid'))
  const valueOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

  for (const path of ['/organization/audit', '/runs'])
    test(`${path}: a day is one filter, taken when its field is left or by Enter, and cleared`, async () => {
      const { page, context, faults } = await visit(browser, harness, { user: owner })
      await page.goto('/clouds/resources')
      await page.getByRole('heading', { name: 'Clouds' }).waitFor()
      await page.goto(path)
      const from = page.getByLabel('From', { exact: true })
      await from.waitFor()
      const addresses: string[] = []
      page.on('framenavigated', () => addresses.push(page.url()))
      await from.focus()
      await page.keyboard.type('03022026')
      expect(addresses).toEqual([])
      await page.keyboard.press('Enter')
      await expect.poll(() => valueOf(page, 'from')).toBe('2026-03-02')
      expect(await focused(page)).toBe('From')
      expect(addresses).toHaveLength(1)
      await from.fill('')
      expect(valueOf(page, 'from')).toBe('2026-03-02')
      await from.blur()
      await expect.poll(() => valueOf(page, 'from')).toBe(null)
      expect(await from.inputValue()).toBe('')
      await page.goBack()
      await page.getByRole('heading', { name: 'Clouds' }).waitFor()
      expect(faults).toEqual([])
      await context.close()
    })

  for (const path of ['/organization/audit', '/runs'])
    test(`${path}: a day that is picked is taken at once, and half of a date goes`, async () => {
      const { page, context, faults } = await visit(browser, harness, { user: owner })
      await page.goto(path)
      const from = page.getByLabel('From', { exact: true })
      // As the browser's calendar does: no key, and the field keeps the focus.
      await from.fill('2026-03-02')
      await expect.poll(() => valueOf(page, 'from')).toBe('2026-03-02')
      expect(await focused(page)).toBe('From')
      await from.fill('2026-03-05')
      await expect.poll(() => valueOf(page, 'from')).toBe('2026-03-05')
      const to = page.getByLabel('To', { exact: true })
      await to.focus()
      await page.keyboard.type('0302')
      expect(await isHalf(to)).toBe(true)
      await page.getByRole('link', { name: /^Clear all/ }).click()
      await expect.poll(() => valueOf(page, 'from')).toBe(null)
      expect(await from.inputValue()).toBe('')
      expect(await isHalf(to)).toBe(false)
      // Also where the field keeps the focus while its day goes.
      await from.fill('2026-03-02')
      await expect.poll(() => valueOf(page, 'from')).toBe('2026-03-02')
      await page.keyboard.press('Backspace')
      expect(await isHalf(from)).toBe(true)
      await page.getByRole('link', { name: /^Clear all/ }).dispatchEvent('click')
      await expect.poll(() => valueOf(page, 'from')).toBe(null)
      expect(await focused(page)).toBe('From')
      await expect.poll(async () => isHalf(from)).toBe(false)
      expect(faults).toEqual([])
      await context.close()
    })

  for (const { path, field } of [
    { path: '/cost/anomalies', field: 'Service' },
    { path: '/clouds/resources', field: 'Service' },
  ])
    test(`${path}: Filter keeps the focus, the number found is said, and Back fills the fields`, async () => {
      const { page, context, faults } = await visit(browser, harness, { user: owner })
      await page.goto(path)
      await page.getByLabel(field, { exact: true }).focus()
      await page.keyboard.type('ec2')
      await page.getByRole('button', { name: 'Filter' }).focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => valueOf(page, 'service')).toBe('ec2')
      await page.getByRole('status').getByText('none found').waitFor()
      expect(await focused(page)).toBe('Filter')
      await page.getByLabel(field, { exact: true }).focus()
      await page.keyboard.type('-spot')
      await page.keyboard.press('Enter')
      await expect.poll(() => valueOf(page, 'service')).toBe('ec2-spot')
      await page.getByRole('status').getByText('none found').waitFor()
      expect(await focused(page)).toBe(field)
      await page.goBack()
      await expect.poll(() => valueOf(page, 'service')).toBe('ec2')
      await expect
        .poll(async () => page.getByLabel(field, { exact: true }).inputValue())
        .toBe('ec2')
      expect(faults).toEqual([])
      await context.close()
    })

  test('pipelines of which none matches: the page says so, and clears the filter', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/pipelines?q=nothing-is-called-so&sort=name')
    await page.getByText('No pipeline matches').waitFor()
    await page.getByRole('link', { name: 'Clear the filter' }).click()
    await page.getByText('No pipelines of your own yet').waitFor()
    expect(valueOf(page, 'q')).toBe(null)
    expect(valueOf(page, 'sort')).toBe('name')
    expect(faults).toEqual([])
    await context.close()
  })
})
