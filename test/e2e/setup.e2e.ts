import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { named, password } from './people.ts'

describe('setting up an organization', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([
      createHarness({ env: { CC_SANDBOX: 'process' } }),
      openBrowser(),
    ])
    org = await harness.organization()
    owner = await named(harness, org, { name: 'Maria Lopez', role: 'Owner' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  const steps = (page: Page) => page.getByRole('region', { name: /^First steps/ })
  const notes = (page: Page) => page.getByRole('region', { name: 'Notes for Owners' })

  test('an Owner is led through the first steps, and told of what is missing', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/')
    await steps(page).getByText('0 of 7').waitFor()
    for (const words of ['without a sandbox', 'sends no mail', 'the only Owner'])
      await notes(page).getByText(words).waitFor()
    await expectAccessible(page, 'first steps')
    await steps(page).getByRole('link', { name: 'Create a workspace' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('heading', { name: 'shop' }).waitFor()
    await page.goto(`${new URL(page.url()).pathname}?tab=settings`)
    await page.getByText(/^Of a standard workspace\. /).waitFor()
    await page.goto('/')
    await steps(page).getByText('1 of 7').waitFor()
    await steps(page).getByRole('button', { name: 'Dismiss' }).click()
    await steps(page).waitFor({ state: 'detached' })
    await page.reload()
    await notes(page).waitFor()
    expect(await steps(page).count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  test('others see neither', async () => {
    const admin = await named(harness, org, { name: 'Ines Weber', role: 'Org Admin' })
    const { page, context } = await visit(browser, harness, { user: admin })
    await page.goto('/')
    await settle(page)
    expect(await steps(page).count()).toBe(0)
    expect(await notes(page).count()).toBe(0)
    await context.close()
  })

  test('a person is invited by a link, sees to what, and comes in', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/organization')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('nadia@northwind.example')
    await dialog.getByLabel('Name', { exact: true }).fill('Nadia New')
    await dialog.getByLabel('Role').selectOption('Deployer')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await dialog.locator('.secret-once').innerText()
    await dialog.getByRole('button', { name: 'Copy link' }).waitFor()
    await expectAccessible(page, 'the link of an invitation')
    await dialog.getByRole('button', { name: 'I have it' }).click()
    expect(await page.getByText(link.split('#')[1] ?? 'none').count()).toBe(0)
    await context.close()

    for (const view of views) {
      const guest = await visit(browser, harness, { view })
      await guest.page.goto(link)
      const facts = guest.page.locator('.invitation')
      await facts.waitFor()
      const said = await facts.innerText()
      for (const words of [org.slug, 'Maria Lopez', 'Deployer', 'nadia@northwind.example'])
        expect(said).toContain(words)
      await expectAccessible(guest.page, 'an invitation')
      await expectNoSideways(guest.page, 'an invitation')
      await guest.context.close()
    }
    const guest = await visit(browser, harness)
    await guest.page.goto(link)
    await guest.page.getByLabel('Choose a password').fill(password)
    await guest.page.getByRole('button', { name: 'Accept and sign in' }).click()
    await guest.page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(faults).toEqual([])
    await guest.context.close()
    const late = await visit(browser, harness)
    await late.page.goto(link)
    await late.page.getByText('This invitation was used, replaced or is over.').waitFor()
    await late.context.close()
  })

  test('guides name the fields of each provider, with our values to copy', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/organization/sso')
    const guide = page.getByRole('region', { name: 'Setup guide' })
    for (const [provider, field] of [
      ['Entra ID', 'Reply URL (Assertion Consumer Service URL)'],
      ['Okta', 'Audience URI (SP Entity ID)'],
      ['Google Workspace', 'ACS URL'],
      ['Keycloak', 'Master SAML Processing URL'],
      ['Another provider', 'Metadata URL'],
    ] as const) {
      await guide.getByLabel('Provider').selectOption({ label: provider })
      const line = guide.locator('.copy-line', { has: page.getByText(field, { exact: true }) })
      expect(await line.first().innerText()).toContain(
        `http://127.0.0.1:${harness.config.port}/api/`,
      )
      await line
        .first()
        .getByRole('button', { name: `Copy ${field}` })
        .waitFor()
      await expectAccessible(page, `the guide of ${provider}`)
    }
    await page.goto('/organization/git')
    await page.getByRole('button', { name: 'Connect a repository' }).first().click()
    await page.getByText('How to make the token').click()
    await page.getByText('Fine-grained tokens').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('the test of provisioning shows a request as it comes', async () => {
    const { page, context, faults } = await visit(browser, harness, { user: owner })
    await page.goto('/organization/provisioning')
    const live = page.getByRole('status', { name: 'Test of provisioning' })
    await live.getByText('create a token first').waitFor()
    const { token } = (await owner.post('/api/org/scim', { name: 'Okta' })).json()
    await live.getByText('Waiting for the first request').waitFor()
    await harness.app.inject({
      url: '/api/scim/v2/Users',
      headers: { authorization: `Bearer ${token}` },
    })
    await live.getByText('✓ Reached.').waitFor()
    await live.getByText('Okta').waitFor()
    await expectAccessible(page, 'the test of provisioning')
    expect(faults).toEqual([])
    await context.close()
  })
})
