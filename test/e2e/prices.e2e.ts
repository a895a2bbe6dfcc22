import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, visit } from './browser.ts'
import { named } from './people.ts'
import { takePicture } from './picture.ts'

describe('the price book', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let admin: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    admin = await named(harness, org, { name: 'Ines Weber', role: 'SRE · Cloud Admin' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const book = async () => (await admin.get('/api/finops/prices?limit=200')).json().prices
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
  const send = async (page: Page, text: string) => {
    await page.getByRole('button', { name: 'Import CSV…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: 'book.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await dialog.getByRole('button', { name: 'Import' }).press('Enter')
    return dialog
  }

  test('a price is added, changed, switched off and deleted', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: admin })
    await page.goto('/cost/prices')
    await page.getByText('No prices yet').waitFor()
    await page.getByRole('button', { name: 'New price' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Provider').fill('aws')
    await dialog.getByLabel('Resource type').fill('aws_instance')
    await dialog.getByLabel('Only where').fill('nonsense')
    await dialog.getByLabel('Price a month').fill('30.37')
    await dialog.getByLabel('Currency').fill('USD')
    await dialog.getByRole('button', { name: 'Add price' }).press('Enter')
    await dialog.getByText('Line 1 of the conditions is not').waitFor()
    await dialog.getByLabel('Only where').fill('instance_type = t3.micro\nebs_optimized = true')
    await dialog.getByRole('button', { name: 'Add price' }).press('Enter')
    await row(page, 'aws_instance').getByText('$30.37').waitFor()
    expect(await book()).toMatchObject([
      { match: { instance_type: 't3.micro', ebs_optimized: true }, source: 'manual' },
    ])
    await page.getByRole('button', { name: 'Change the price of aws_instance' }).click()
    await dialog.getByLabel('Price a month').fill('31')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row(page, 'aws_instance').getByText('$31.00').waitFor()
    await page.getByRole('button', { name: 'Switch off the price of aws_instance' }).click()
    await dialog.getByRole('button', { name: 'Switch off' }).click()
    await row(page, 'aws_instance').getByText('switched off').waitFor()
    expect(await book()).toMatchObject([{ enabled: false, monthlyPrice: 31 }])
    await page.getByRole('button', { name: 'Delete the price of aws_instance' }).click()
    await dialog.getByRole('button', { name: 'Delete price' }).click()
    await page.getByText('No prices yet').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a CSV file is added whole or not at all, and a second time adds nothing', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: admin })
    await page.goto('/cost/prices')
    const head = 'provider,type,price,currency,instance_type\n'
    const wrong = await send(page, `${head}aws,aws_db,9,USD,\naws,aws_eip,many,USD,\n`)
    await wrong.getByText('Line 3: “many” is no price.').waitFor()
    expect(await book()).toEqual([])
    await wrong.getByRole('button', { name: 'Cancel' }).click()
    const good = `${head}aws,aws_db,9,USD,\naws,aws_instance,30.37,USD,t3.micro\n`
    await (await send(page, good)).waitFor({ state: 'detached' })
    await page.getByText('2 prices added.').waitFor()
    await row(page, 'instance_type = t3.micro').waitFor()
    await send(page, good)
    await page.getByText('0 prices added. 2 were there already.').waitFor()
    expect(await book()).toHaveLength(2)
    // The service refuses the second line: the first stays, and the same file adds the rest once it is right.
    const refused = `${head}aws,aws_vpc,1,USD,\naws,aws_nat,1,ZZZ,\n`
    const dialog = await send(page, refused)
    await dialog.getByText(/^Line 3 was refused: .*1 price before it was added\./).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await send(page, refused.replace('ZZZ', 'USD'))
    await page.getByText('1 price added. 1 was there already.').waitFor()
    expect(await book()).toHaveLength(4)
    expect(faults).toEqual([])
    await context.close()
  })

  test('axe, width and pictures; a Viewer reads and changes nothing', async () => {
    const viewer = await named(harness, org, { name: 'Tom Reader', role: 'Viewer' })
    for (const scheme of ['light', 'dark'] as const)
      for (const width of [360, 1440] as const) {
        const view = { scheme, width }
        const { page, context, faults } = await visit(browser, harness, { user: admin, view })
        await page.goto('/cost/prices')
        await row(page, 'aws_db').waitFor()
        await settle(page)
        const where = `prices-${scheme}-${width}`
        await expectAccessible(page, where)
        await expectNoSideways(page, where)
        await takePicture(page, where)
        await page.getByRole('button', { name: 'New price' }).click()
        await expectAccessible(page, `${where}, new`)
        expect(faults).toEqual([])
        await context.close()
      }
    const { page, context } = await visit(browser, harness, { user: viewer })
    await page.goto('/cost/prices')
    await row(page, 'aws_db').waitFor()
    expect(await page.getByRole('button', { name: /price|Import/ }).count()).toBe(0)
    await context.close()
  })
})
