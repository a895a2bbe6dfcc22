import { inflateRawSync } from 'node:zlib'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import {
  createIdentityProvider,
  makeKey,
  type IdentityProvider,
} from '../harness/identity-provider.ts'
import { createSamlOrganization, type SamlOrganization } from '../harness/saml-organization.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, visit } from './browser.ts'
import { takePicture } from './picture.ts'

describe('single sign-on', () => {
  let harness: Harness
  let browser: Browser
  let saml: SamlOrganization
  beforeAll(async () => {
    // By an address as well, of a domain that nobody can prove.
    const env = { CC_DOMAIN_PROOF: 'none' }
    ;[harness, browser] = await Promise.all([createHarness({ env }), openBrowser()])
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
      await takePicture(page, 'sso')
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
    await takePicture(page, 'home')
    await context.close()
  })

  /** Stands in for the provider's own pages, whose answer is a form that the browser posts. */
  const answerAs = async (context: BrowserContext, idp: IdentityProvider, email: string) => {
    await context.route(`${idp.ssoUrl}**`, async (route) => {
      const asked = new URL(route.request().url()).searchParams
      const request = Buffer.from(asked.get('SAMLRequest') ?? '', 'base64')
      const xml = inflateRawSync(request).toString()
      const of = (name: string) => new RegExp(`${name}="([^"]+)"`).exec(xml)?.[1] ?? ''
      const acsUrl = of('AssertionConsumerServiceURL')
      const audience = /Issuer[^>]*>([^<]+)</.exec(xml)?.[1] ?? ''
      const response = idp.response(
        { acsUrl, audience, requestId: of(' ID') },
        { nameId: 'ada', attributes: { email } },
      )
      const field = (name: string, value: string) =>
        `<input type="hidden" name="${name}" value="${value}">`
      const fields = [
        field('SAMLResponse', Buffer.from(response).toString('base64')),
        field('RelayState', asked.get('RelayState') ?? ''),
      ]
      await route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${acsUrl}">${fields.join('')}</form><script>document.forms[0].submit()</script>`,
      })
    })
  }

  test('set up by its page: a provider, its mapping, a failed and a good test, enabled, required', async () => {
    const org = await harness.organization()
    const admin = await org.user('Owner')
    const idp = await createIdentityProvider()
    const { page, context } = await visit(browser, harness, { user: admin })
    const dialog = page.getByRole('dialog')
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    await page.goto('/organization')
    await page.getByRole('link', { name: 'Single sign-on' }).click()
    await page.getByText('No identity provider yet').waitFor()
    await expectAccessible(page, 'single sign-on without a provider')
    // What the provider wants to know is there before anything is saved.
    const audience = (await page.locator('.copy-line code').first().textContent()) ?? ''
    expect(audience).toContain(`/api/auth/saml/metadata?org=${org.slug}`)
    await button('Set up an identity provider').click()
    await expectAccessible(page, 'the dialog of a provider')
    await dialog.getByLabel('Metadata', { exact: true }).fill('<EntityDescriptor/>')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Metadata', { exact: true }).fill(idp.metadata())
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(idp.entityId).waitFor()
    await page.getByRole('cell', { name: 'valid', exact: true }).waitFor()
    expect(await button('Require single sign-on…').isDisabled()).toBe(true)

    await button('Change the domains…').click()
    await dialog.getByLabel('Domains').fill('gmail.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Domains').fill(`${org.slug}.test`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('rowheader', { name: `${org.slug}.test` }).waitFor()

    // The provider sends the address in an attribute that nobody named yet.
    const email = `ada@${org.slug}.test`
    await answerAs(context, idp, email)
    await button('Test sign-in').click()
    await page.getByText('The test sign-in failed.').waitFor()
    await page
      .getByText(/There was no address in it/)
      .first()
      .waitFor()
    await button('Change the mapping…').click()
    await dialog.getByLabel('Address').fill('email')
    await dialog.getByLabel('Role without a group').selectOption('Deployer')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await button('Test sign-in').click()
    await page.getByText('The test sign-in works.').waitFor()
    await page.getByText(`${email} would come in as Deployer, and be new here.`).waitFor()
    await expectAccessible(page, 'single sign-on after a test')

    await button('Enable').click()
    await page.getByText('✓ enabled').waitFor()
    await button('Require single sign-on…').click()
    await dialog.getByText(/From now on only Owners can sign in with a password/).waitFor()
    await expectAccessible(page, 'what requiring does')
    await dialog.getByRole('button', { name: 'Lock passwords out' }).click()
    await page.getByText('✓ single sign-on is required').waitFor()
    // It cannot be switched off while it is the only door.
    await button('Disable…').click()
    await dialog.getByRole('button', { name: 'Disable it' }).click()
    await dialog.getByText(/Allow passwords before you disable/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await button('Allow passwords…').click()
    await dialog.getByRole('button', { name: 'Allow passwords' }).click()
    await button('Disable…').click()
    await dialog.getByRole('button', { name: 'Disable it' }).click()
    await page.getByText('disabled', { exact: true }).waitFor()
    expect((await admin.get('/api/org/sso')).json()).toMatchObject({
      requireSso: false,
      saml: { enabled: false, attrEmail: 'email', defaultRole: 'Deployer' },
    })
    await context.close()
  })

  test('a change of keys: the next certificate beside the old one, and a change is told', async () => {
    const { page, context } = await visit(browser, harness, { user: saml.admin })
    const next = await makeKey({ validUntil: new Date(Date.now() + 365 * 86_400_000) })
    const dialog = page.getByRole('dialog')
    await page.goto('/organization/sso')
    await page.getByText(/expires on .*save the next one beside it/).waitFor()
    await page.getByRole('button', { name: 'Change the provider…' }).click()
    await dialog.getByText(/as anybody, with at most your own role/).waitFor()
    await dialog.getByLabel('Signing certificates').fill('not a certificate')
    await dialog.getByRole('button', { name: 'Save and trust it' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Signing certificates').fill(next.certificate)
    await dialog.getByRole('button', { name: 'Save and trust it' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('cell', { name: 'valid', exact: true }).waitFor()
    await context.close()
  })

  test('provisioning: a token that is shown once, a group with a role, the log, and revoked', async () => {
    const org = await harness.organization()
    const admin = await org.user('Owner')
    const { page, context } = await visit(browser, harness, { user: admin })
    const dialog = page.getByRole('dialog')
    await page.goto('/organization/provisioning')
    await page.getByRole('button', { name: 'Map a group' }).click()
    await dialog.getByLabel('Group').fill('Platform team')
    await dialog.getByLabel('Role').selectOption('Deployer')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Platform team.*Deployer/ }).waitFor()
    await page.getByRole('button', { name: 'Change Platform team' }).click()
    await dialog.getByLabel('Role').selectOption('Viewer')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Platform team.*Viewer/ }).waitFor()

    await page.getByRole('button', { name: 'New SCIM token' }).click()
    await dialog.getByLabel('Name').fill('Okta')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const token = (await dialog.locator('.secret-once').textContent()) ?? ''
    expect(token).toMatch(/^cc_scim_/)
    harness.secrets.note('SCIM token', token)
    await expectAccessible(page, 'a token that is shown once')
    await dialog.getByRole('button', { name: 'I have it' }).click()
    expect(await page.getByText(token).count()).toBe(0)
    const scim = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
    const payload = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'grace' }
    const create = async () =>
      harness.app.inject({ method: 'POST', url: '/api/scim/v2/Users', headers: scim, payload })
    expect([(await create()).statusCode, (await create()).statusCode]).toEqual([201, 409])
    await page.reload()
    await page.getByRole('row', { name: /✓ 201/ }).waitFor()
    await page.getByRole('row', { name: /✗ 409 uniqueness/ }).waitFor()
    await page.getByLabel('Only what failed').check()
    await page.getByRole('row', { name: /✓ 201/ }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('log=failure')

    await page.getByRole('button', { name: 'Revoke Okta' }).click()
    await dialog.getByText(/people and groups stay/).waitFor()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText(/^No token yet/).waitFor()
    expect((await create()).statusCode).toBe(401)
    await page.getByRole('button', { name: 'Unmap Platform team' }).click()
    await dialog.getByText(/^Nobody is in it now/).waitFor()
    await dialog.getByRole('button', { name: 'Unmap' }).click()
    await page.getByText(/^No group gives a role/).waitFor()
    await context.close()
  })

  test('a Viewer finds neither, and the address says who to ask', async () => {
    const { page, context } = await visit(browser, harness, { user: await saml.org.user('Viewer') })
    for (const path of ['/organization/sso', '/organization/provisioning']) {
      await page.goto(path)
      await page.getByText(/is managed by administrators/).waitFor()
      await expectAccessible(page, `${path} as a Viewer`)
    }
    expect(await page.getByRole('link', { name: 'Single sign-on' }).count()).toBe(0)
    expect(await page.getByText(saml.idp.entityId).count()).toBe(0)
    await context.close()
  })
})
