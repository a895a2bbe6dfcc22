import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { serviceProvider, type ServiceProvider } from './service-provider.ts'
import {
  hasSimplesamlphp,
  mutedParty,
  startSimplesamlphp,
  type Simplesamlphp,
} from './simplesamlphp.ts'
import { createWebBrowser, type Visit, type WebBrowser } from './web-browser.ts'

const attributes = { attrEmail: 'email', attrGroups: 'groups' }
const redirectSlo = /<md:SingleLogoutService [^>]*HTTP-Redirect[^>]*>/

describe.skipIf(!hasSimplesamlphp())('SimpleSAMLphp', () => {
  let harness: Harness
  let idp: Simplesamlphp
  let sp: ServiceProvider
  beforeAll(async () => {
    harness = await createHarness()
    idp = await startSimplesamlphp()
    sp = await serviceProvider(harness)
    await sp.save({ metadataXml: await idp.metadata(), ...attributes })
    idp.trust(await sp.metadata())
  })
  afterAll(async () => {
    await idp?.close()
    await harness?.close()
  })

  async function signIn(): Promise<WebBrowser> {
    const browser = createWebBrowser()
    const page = await sp.begin(browser)
    await browser.submit(page, { username: 'ada', password: 'pw-ada' })
    expect(await sp.me(browser)).toMatchObject({
      email: 'ada@acme.test',
      role: 'SRE · Cloud Admin',
    })
    browser.visits()
    return browser
  }
  /** How a message came to our single-logout address. */
  const cameBy = (visits: Visit[], name: string) =>
    visits
      .filter(({ url }) => url.startsWith(`${harness.config.baseUrl}/api/auth/saml/slo`))
      .filter(({ url, form }) => new URL(url).searchParams.has(name) || form?.[name] !== undefined)
      .map(({ method }) => method)

  test('signs in, with its groups mapped; both sides read the other’s metadata', async () => {
    await signIn()
  })

  test('sign-out that begins here: signed both ways, over at both', async () => {
    const browser = await signIn()
    const redirectUrl = await sp.signOut(browser)
    expect(await sp.me(browser)).toBeUndefined()
    const page = await browser.go(redirectUrl)
    expect(new URL(page.url).pathname + new URL(page.url).search).toBe('/login?signedout=1')
    expect(cameBy(browser.visits(), 'SAMLResponse')).toEqual(['GET'])
    const again = await sp.begin(browser)
    expect(again.body).toContain('name="password"')
  })

  test('sign-out that begins there: the session ends, and it takes our signed answer', async () => {
    const browser = await signIn()
    const end = encodeURIComponent(idp.url('logout.php'))
    const page = await browser.go(idp.url(`saml2/idp/initSLO.php?RelayState=${end}`))
    expect(page.url).toBe(idp.url('logout.php'))
    expect(cameBy(browser.visits(), 'SAMLRequest')).toEqual(['GET'])
    expect(await sp.me(browser)).toBeUndefined()
    expect(await sp.event('saml.logout_refused')).toEqual([])
  })

  test('PartialLogout: what it could not end elsewhere is told as partial', async () => {
    const browser = await signIn()
    const muted = `saml2/idp/SSOService.php?spentityid=${encodeURIComponent(mutedParty)}`
    // It signs in there at once, and sends a form to a host that does not exist.
    await browser.go(idp.url(muted)).catch(() => undefined)
    browser.visits()
    const page = await browser.go(await sp.signOut(browser))
    expect(new URL(page.url).search).toBe('?signedout=partial')
    expect(await sp.event('saml.logout_partial')).toHaveLength(1)
  })

  test('both directions by POST', async () => {
    const byPost = (xml: string) => xml.replace(redirectSlo, '')
    idp.trust(byPost(await sp.metadata()))
    await sp.save({ metadataXml: byPost(await idp.metadata()), ...attributes })

    const browser = await signIn()
    const page = await browser.go(await sp.signOut(browser))
    expect(new URL(page.url).search).toBe('?signedout=1')
    expect(cameBy(browser.visits(), 'SAMLResponse')).toEqual(['POST'])

    const other = await signIn()
    const end = encodeURIComponent(idp.url('logout.php'))
    await other.go(idp.url(`saml2/idp/initSLO.php?RelayState=${end}`))
    expect(cameBy(other.visits(), 'SAMLRequest')).toEqual(['POST'])
    expect(await sp.me(other)).toBeUndefined()
    expect(await sp.event('saml.logout_refused')).toEqual([])
  })

  test('a new key: refused until its certificate is saved, beside the old one too', async () => {
    idp.changeKey()
    const browser = createWebBrowser()
    await browser.submit(await sp.begin(browser), { username: 'ada', password: 'pw-ada' })
    expect(await sp.me(browser)).toBeUndefined()
    await sp.save({ metadataXml: await idp.metadata(), ...attributes })
    await signIn()
  })
})
