import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { makeKey } from '../harness/identity-provider.ts'
import { createSamlOrganization, type SamlOrganization } from '../harness/saml-organization.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, visit } from './browser.ts'

describe('single sign-on', () => {
  let harness: Harness
  let browser: Browser
  let saml: SamlOrganization
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    const { certificate } = await makeKey({ validUntil: new Date(Date.now() + 86_400_000) })
    saml = await createSamlOrganization(harness, { certificate })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  test('by the organization’s short name, or an address of its domain, to its identity provider', async () => {
    const { page, context } = await visit(browser, harness)
    const asked: URL[] = []
    await context.route(`${saml.idp.ssoUrl}**`, async (route) => {
      asked.push(new URL(route.request().url()))
      await route.fulfill({ contentType: 'text/html', body: 'the identity provider' })
    })
    for (const who of [saml.org.slug, `ada@${saml.domain}`]) {
      await page.goto('/login')
      await page.getByRole('button', { name: 'Use single sign-on' }).click()
      await expectAccessible(page, 'single sign-on')
      const field = page.getByLabel('Email or organization')
      await field.fill('nobody-has-this')
      await page.getByRole('button', { name: 'Go to the identity provider' }).click()
      await page.getByText('Single sign-on is not set up for this.').waitFor()
      if (process.env['CC_SHOTS'])
        await page.screenshot({ path: `${process.env['CC_SHOTS']}/sso.png` })
      await field.fill(who)
      await page.getByRole('button', { name: 'Go to the identity provider' }).click()
      await page.waitForURL(`${saml.idp.ssoUrl}?**`)
    }
    expect(asked).toHaveLength(2)
    expect(asked[0]?.searchParams.has('SAMLRequest')).toBe(true)
    await context.close()
  })

  test('whoever may change it sees on the first page that a certificate ends', async () => {
    const { page, context } = await visit(browser, harness, { user: saml.admin })
    await page.goto('/')
    await page.getByText(/A single sign-on certificate expires on/).waitFor()
    await expectAccessible(page, 'a certificate that ends')
    if (process.env['CC_SHOTS'])
      await page.screenshot({ path: `${process.env['CC_SHOTS']}/home.png` })
    await context.close()
  })
})
