import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMoto, type Keys, type Moto } from '../harness/clouds/moto.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

// moto names the action as the signature does (tagging), AWS as its policies do (tag).
const reading = ['sts:GetCallerIdentity', 'ec2:DescribeRegions', 'tagging:GetResources']

describe('the pages of cloud accounts', () => {
  let moto: Moto
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let keys: Keys
  beforeAll(async () => {
    moto = await startMoto()
    ;[harness, browser] = await Promise.all([
      createHarness({ worker: true, env: { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${moto.port}` } }),
      openBrowser(),
    ])
    org = await harness.organization()
    await moto.setUp(async () => {
      keys = await moto.user('console', [...reading, 'organizations:ListAccounts'])
      const organizations = 'AWSOrganizationsV20161128'
      const call = async (action: string, of: object) =>
        moto.callJson('organizations', `${organizations}.${action}`, of)
      await call('CreateOrganization', {})
      for (const name of ['web', 'data'])
        await call('CreateAccount', { AccountName: name, Email: `${name}@example.com` })
    })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
    await moto?.stop()
  })

  test('a newcomer connects an account by the console alone, in at most 15 clicks', async () => {
    const { page, faults } = await visit(browser, harness, { user: await org.user('Owner') })
    await page.addInitScript(`
      globalThis.addEventListener('click', () => sessionStorage.setItem('clicks', Number(sessionStorage.getItem('clicks')) + 1), true)`)
    await page.goto('/')
    await page.getByRole('link', { name: 'Clouds' }).click()
    await page.getByText('No cloud accounts yet').waitFor()
    await page.getByRole('link', { name: 'Connect a cloud account' }).click()
    await page.getByLabel('Account id').fill('123456789012')
    await page.getByLabel('How cloud-control signs in').selectOption('keys')
    await page.getByRole('button', { name: 'Show what to set up' }).click()
    await page.getByText('Run the commands, or apply').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Sandbox')
    await page.getByLabel('Access key id').fill(keys.accessKeyId)
    await page.getByLabel('Secret access key').fill(keys.secretAccessKey)
    await page.getByText('More', { exact: true }).click()
    await page.getByLabel('Regions (optional)').fill('us-east-1')
    await page.getByLabel('Endpoint (optional)').fill(moto.url)
    await page.getByRole('button', { name: 'Connect and check' }).click()
    await page.getByRole('heading', { name: 'Sandbox' }).waitFor()
    await page.getByText('✓ healthy').waitFor({ timeout: 60_000 })
    expect(Number(await page.evaluate(`sessionStorage.getItem('clicks')`))).toBeLessThanOrEqual(15)
    expect(await page.content()).not.toContain(keys.secretAccessKey)
    expect(faults).toEqual([])
  })

  test('the accounts of the organization are found, and one is connected by its role', async () => {
    const user = await org.user('SRE · Cloud Admin')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto('/clouds')
    await page.getByRole('link', { name: 'Sandbox' }).click()
    await page.getByRole('button', { name: 'Find accounts' }).click()
    await page.getByLabel('Connect web').check()
    await page.getByText('CloudFormation template').click()
    await settle(page)
    await expectNoSideways(page, 'members')
    await expectAccessible(page, 'members')
    await page.getByRole('button', { name: 'Connect 1 account' }).click()
    const row = page.getByRole('row', { name: 'web' })
    await row.getByRole('link', { name: 'connected' }).click()
    await page.getByRole('heading', { name: 'web' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('what runs are lent is chosen when an account is connected, and changed later', async () => {
    const user = await org.user('SRE · Cloud Admin')
    const { page, context, faults } = await visit(browser, harness, { user })
    const role = (name: string) => `arn:aws:iam::210987654321:role/${name}`
    await page.goto('/clouds/connect')
    const credentialsOf = (id: string) =>
      page.getByRole('heading', { name: `3. Credentials of ${id}` })
    await page.getByLabel('Account id').fill('210987654322')
    await page.getByRole('button', { name: 'Show what to set up' }).click()
    await credentialsOf('210987654322').waitFor()
    // The steps below are never of another account than the first one names.
    await page.getByLabel('Account id').fill('210987654321')
    await credentialsOf('').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show what to set up' }).click()
    await credentialsOf('210987654321').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Lending')
    await page.getByLabel('Role ARN').fill(role('read'))
    await page.getByText('Credentials for runs').click()
    await page.getByLabel('Plans sign in as').selectOption('The identity of this account')
    await page.getByLabel('Applies sign in as').selectOption('Another identity')
    await page.getByLabel('Role ARN, for applies').fill(role('deploy'))
    await page.getByText('More', { exact: true }).click()
    await page.getByLabel('Endpoint (optional)').fill(moto.url)
    await page.getByRole('button', { name: 'Connect and check' }).click()
    await page.getByRole('heading', { name: 'Lending' }).waitFor()
    await page.getByText('the identity of this account').waitFor()
    await page.getByText(role('deploy')).waitFor()

    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Plans sign in as').selectOption('Nothing: runs are lent no credentials')
    await page.getByLabel('Role ARN, for applies').fill(role('deploy-2'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(role('deploy-2')).waitFor()
    await page.getByText('Plans are lent').locator('+ dd').getByText('nothing').waitFor()
    await expectAccessible(page, 'lending')
    expect(faults).toEqual([])
    await context.close()
  })

  const pages = async (page: Page) => {
    await page.goto('/clouds')
    const account = await page.getByRole('link', { name: 'Sandbox' }).getAttribute('href')
    return {
      clouds: '/clouds',
      'cloud-account': account ?? '',
      'clouds-resources': '/clouds/resources',
      'clouds-resources-none': '/clouds/resources?q=nothing-has-this-name',
    }
  }

  for (const view of views)
    test(`${view.scheme}, ${view.width} px wide: axe, width and a picture of each`, async () => {
      const user = await org.user('SRE · Cloud Admin')
      const { page, context, faults } = await visit(browser, harness, { user, view })
      const all = { ...(await pages(page)), 'cloud-connect': '/clouds/connect' }
      for (const [name, path] of Object.entries(all)) {
        await page.goto(path)
        await settle(page)
        await takePicture(page, `${name}-${view.scheme}-${view.width}`)
        await expectNoSideways(page, name)
        await expectAccessible(page, name)
      }
      expect(faults).toEqual([])
      await context.close()
    })

  test('a Viewer sees the accounts, and nothing to change with', async () => {
    const { page, context } = await visit(browser, harness, { user: await org.user('Viewer') })
    for (const [name, path] of Object.entries(await pages(page))) {
      await page.goto(path)
      await settle(page)
      const changing = page.getByRole('button', { name: /^(Check|Sync|Change|Disconnect)/ })
      expect(await changing.count(), name).toBe(0)
      expect(await page.getByRole('link', { name: /^Connect/ }).count(), name).toBe(0)
    }
    await page.goto('/clouds/connect')
    await page.getByText('Your role cannot connect accounts').waitFor()
    await context.close()
  })
})
