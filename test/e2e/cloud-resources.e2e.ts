import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockInfo, stateClient, stateOf } from '../api/workspaces/state-client.ts'
import { connectedAccount, resourceRows } from '../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const count = 10_000
const long = `arn:aws:s3:::${'long-'.repeat(60)}bucket`

describe('the page of 10,000 resources', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let workspace: TestWorkspace
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    const at = { organizationId: org.id, accountId: await connectedAccount(harness, org.id) }
    for (let n = 0; n < count; n += 1_000)
      await resourceRows(
        harness,
        at,
        Array.from({ length: 1_000 }, (_, i) => ({
          cloudId: `arn:aws:ec2:eu-west-1:123456789012:instance/i-${n + i}`,
          name: `server ${n + i}`,
          service: 'ec2',
          type: 'ec2:instance',
          region: `region-${i % 20}`,
          tags: { team: `team-${i % 30}`, note: 'a value without a space '.repeat(i % 5) },
          state: i % 50 === 0 ? ('gone' as const) : ('present' as const),
        })),
      )
    await resourceRows(harness, at, [{ cloudId: long, name: '' }])
    await holdLong()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  async function holdLong(): Promise<void> {
    const owner = await org.user('Owner')
    workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token('Owner'))
    const info = lockInfo()
    await client.lock(info)
    const instances = [long, 'arn:aws:s3:::not-listed'].map((arn, n) => ({
      index_key: n,
      attributes: { arn },
    }))
    const provider = 'provider["registry.opentofu.org/hashicorp/aws"]'
    const resources = [{ mode: 'managed', type: 'aws_s3_bucket', name: 'b', provider, instances }]
    const written = await client.write(stateOf(1, { resources }), info.ID)
    expect(written.statusCode, written.body).toBe(200)
    await client.unlock(info)
  }

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: the list goes on, is filtered, and says that nothing matches`, async () => {
      const user = await org.user('Viewer')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      const where = `resources, ${view.scheme}, ${view.width} px`
      const rows = page.locator('main tbody tr')
      await page.goto('/clouds/resources')
      await rows.first().waitFor()
      await settle(page)
      const name = `clouds-resources-10000-${view.scheme}-${view.width}.png`
      await takePicture(page, name)
      await expectNoSideways(page, where)
      await expectAccessible(page, where)
      const before = await rows.count()
      await page.locator('.more').last().scrollIntoViewIfNeeded()
      await expect.poll(async () => rows.count(), { timeout: 15_000 }).toBeGreaterThan(before)

      await page.getByLabel('Name or id').fill('SERVER 4321')
      await page.getByRole('button', { name: 'Filter' }).click()
      await expect.poll(async () => rows.count(), { timeout: 15_000 }).toBe(1)
      expect(await rows.innerText()).toContain('i-4321')
      await page.getByLabel('Name or id').fill('there is no such one')
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByText('Nothing matches').waitFor()
      await settle(page)
      await expectAccessible(page, `${where}, none`)
      expect(faults).toEqual([])
      await context.close()
    })

  test('an API that fails: the page says so and comes back by itself', async () => {
    const user = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    const error = 'The search took too long. Narrow it, by an account, a service or a longer text.'
    await page.route('**/api/cloud/resources?*', async (route) =>
      route.fulfill({ status: 503, json: { error, code: 'unavailable' } }),
    )
    await page.goto('/clouds/resources')
    await page.getByRole('alert').getByText(error).waitFor()
    await expectAccessible(page, 'resources with a failing API')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    const rows = page.locator('main tbody tr')
    await rows.first().waitFor()

    // The account of the address is chosen before the accounts are there, and stays in the next search.
    const [{ id, name }] = (await user.get('/api/cloud/accounts')).json().accounts
    await page.goto(`/clouds/resources?accountId=${id}&service=`)
    const account = page.getByLabel('Account', { exact: true })
    await account.locator('option', { hasText: name }).waitFor({ state: 'attached' })
    expect(await account.inputValue()).toBe(String(id))
    await page.getByLabel('Name or id').fill('SERVER 4321')
    await page.getByRole('button', { name: 'Filter' }).click()
    await expect.poll(async () => rows.count(), { timeout: 15_000 }).toBe(1)
    expect(new URL(page.url()).searchParams.get('accountId')).toBe(String(id))
    expect(faults).toEqual([])
    await context.close()
  })

  test('without resources the page leads to the accounts', async () => {
    const user = await (await harness.organization()).user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/clouds/resources')
    await page.getByText('No resources yet').waitFor()
    await expectAccessible(page, 'no resources')
    await page.getByRole('link', { name: 'Cloud accounts' }).click()
    await page.getByText('No cloud accounts yet').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a workspace’s state leads to each resource that an account lists', async () => {
    const { page, context, faults } = await visit(browser, harness, {
      user: await org.user('Viewer'),
    })
    await page.goto(`/workspaces/${workspace.id}?tab=state`)
    await page.getByText('aws_s3_bucket.b[1]').waitFor()
    expect(await page.getByRole('link', { name: 'aws_s3_bucket.b[1]' }).count()).toBe(0)
    await page.getByRole('link', { name: 'aws_s3_bucket.b[0]' }).click()
    await page.getByRole('heading', { name: 'Clouds' }).waitFor()
    const rows = page.locator('main tbody tr')
    await expect.poll(async () => rows.count()).toBe(1)
    expect(await rows.innerText()).toContain(long)
    await rows.getByRole('link', { name: workspace.name }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })
})
