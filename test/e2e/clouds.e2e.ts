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

  test('a change sends what was changed alone; bills and regions are set there too', async () => {
    const [user, other] = [await org.user('SRE · Cloud Admin'), await org.user('Owner')]
    const { accounts } = (await other.get('/api/cloud/accounts')).json()
    const { id } = accounts.find(({ name }: { name: string }) => name === 'Lending')
    const url = `/api/cloud/accounts/${id}`
    const stored = async () => (await other.get(url)).json().account
    const view = { scheme: 'dark', width: 390 } as const
    const { page, context, faults } = await visit(browser, harness, { user, view })
    await page.goto(`/clouds/${id}`)
    await page.getByText('Its bills are not read').waitFor()
    await page.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Minutes between syncs').fill('90')
    // Revoked while the dialog is open.
    expect((await other.patch(url, { runs: null })).statusCode).toBe(200)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ syncIntervalMinutes: 90, runs: null })

    await page.getByRole('button', { name: 'Change' }).click()
    await dialog.getByText('Regions and endpoint').click()
    await dialog.getByLabel('Regions (optional)').fill('us-east-1, eu-west-1')
    await dialog.getByLabel('Bills', { exact: true }).selectOption({ index: 1 })
    await dialog.getByLabel('Bucket', { exact: true }).fill('bills-of-acme')
    await dialog.getByLabel('Name of the export').fill('focus')
    await dialog.getByLabel('Region of the bucket').fill('us-east-1')
    await expectAccessible(page, 'the change of an account')
    await expectNoSideways(page, 'the change of an account')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('bills-of-acme').waitFor()
    const billing = {
      bucket: 'bills-of-acme',
      prefix: '',
      exportName: 'focus',
      region: 'us-east-1',
    }
    expect(await stored()).toMatchObject({ billing, regions: ['eu-west-1', 'us-east-1'] })

    await page.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Bills', { exact: true }).selectOption('Not read')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Its bills are not read').waitFor()
    expect((await stored()).billing).toBeNull()
    expect(faults).toEqual([])
    await context.close()
  })

  test('a workspace is given an account, which says so, and is let go of again', async () => {
    const user = await org.user('SRE · Cloud Admin')
    const { id, url } = await org.workspace({ by: user, criticality: 'production' })
    const stored = async () => (await user.get(url)).json().workspace.cloudAccountId
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(`/workspaces/${id}?tab=settings`)
    await page.getByLabel('Cloud account').selectOption('Lending')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved.').waitFor()
    await expectAccessible(page, 'a workspace with an account')
    await page.getByRole('link', { name: 'Lending' }).click()
    await page.getByRole('heading', { name: 'Lending' }).waitFor()
    await page.getByRole('button', { name: 'Disconnect…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText(/use this account/).waitFor()
    await page.getByRole('link', { name: 'Open workspaces' }).click()
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()

    const deployer = await visit(browser, harness, { user: await org.user('Deployer') })
    await deployer.page.goto(`/workspaces/${id}?tab=settings`)
    await deployer.page.getByRole('link', { name: 'Lending' }).waitFor()
    for (const label of ['Cloud account', 'Name'])
      expect(await deployer.page.getByLabel(label).isDisabled(), label).toBe(true)
    await deployer.page.getByLabel('Description').fill('of a Deployer')
    await deployer.page.getByRole('button', { name: 'Save settings' }).click()
    await deployer.page.getByText('Saved.').waitFor()
    await deployer.context.close()

    await page.goto(`/workspaces/${id}?tab=settings`)
    expect(await stored()).not.toBeNull()
    await page.getByLabel('Cloud account').selectOption({ index: 0 })
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await stored()).toBeNull()
    await page.getByRole('link', { name: 'Lending' }).waitFor({ state: 'detached' })
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
