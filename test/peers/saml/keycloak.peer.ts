import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { canRunKeycloak, installKeycloak, startKeycloak, type Keycloak } from './keycloak.ts'
import { keycloakRealm, type KeycloakRealm } from './keycloak-realm.ts'
import { serviceProvider, type ServiceProvider } from './service-provider.ts'
import { createWebBrowser, type WebBrowser } from './web-browser.ts'

const attributes = { attrEmail: 'email', attrGroups: 'groups' }
const redirectSlo =
  /<md:SingleLogoutService [^>]*HTTP-Redirect[^>]*(?:\/>|>\s*<\/md:SingleLogoutService>)/
const ada = { username: 'ada', password: 'pw-ada', credentialId: '' }

describe.skipIf(!canRunKeycloak())('Keycloak', () => {
  let harness: Harness
  let keycloak: Keycloak
  let realm: KeycloakRealm
  let sp: ServiceProvider
  beforeAll(async () => {
    const folder = await installKeycloak()
    harness = await createHarness()
    keycloak = await startKeycloak(folder)
    realm = await keycloakRealm(keycloak)
    sp = await serviceProvider(harness)
    await sp.save({ metadataXml: await realm.descriptor(), ...attributes })
    await realm.trust(await sp.metadata())
  }, 900_000)
  afterAll(async () => {
    await keycloak?.close()
    await harness?.close()
  })

  async function signIn(): Promise<WebBrowser> {
    const browser = createWebBrowser()
    await browser.submit(await sp.begin(browser), ada)
    expect(await sp.me(browser)).toMatchObject({
      email: 'ada@acme.test',
      role: 'SRE · Cloud Admin',
    })
    browser.visits()
    return browser
  }

  async function endThere(browser: WebBrowser): Promise<string[]> {
    const page = await browser.go(realm.logoutUrl)
    browser.visits()
    await browser.submit(page, { confirmLogout: 'Logout' })
    const slo = `${harness.config.baseUrl}/api/auth/saml/slo`
    return browser.visits().flatMap(({ method, url }) => (url.startsWith(slo) ? [method] : []))
  }

  test('signs in, each group an Attribute of its own; it read our metadata and we its', async () => {
    await signIn()
  })

  test('sign-out that begins here, by Redirect and by POST', async () => {
    const browser = await signIn()
    const page = await browser.go(await sp.signOut(browser))
    expect(await sp.me(browser)).toBeUndefined()
    expect(new URL(page.url).search).toBe('?signedout=1')
    expect((await sp.begin(browser)).body).toContain('name="password"')

    const descriptor = await realm.descriptor()
    const byPost = descriptor.replace(redirectSlo, '')
    await sp.save({ metadataXml: byPost, ...attributes })
    const other = await signIn()
    const landed = await other.go(await sp.signOut(other))
    expect(new URL(landed.url).search).toBe('?signedout=1')
    await sp.save({ metadataXml: descriptor, ...attributes })
  })

  test('sign-out that begins there, by POST and by Redirect: the session ends, our answer is taken', async () => {
    const browser = await signIn()
    expect(await endThere(browser)).toEqual(['POST'])
    expect(await sp.me(browser)).toBeUndefined()

    await realm.forgetPostLogout()
    const other = await signIn()
    expect(await endThere(other)).toEqual(['GET'])
    expect(await sp.me(other)).toBeUndefined()
    expect(await sp.event('saml.logout_refused')).toEqual([])
  })

  test('a new key: refused until the descriptor is saved again', async () => {
    await realm.changeKey()
    const browser = createWebBrowser()
    await browser.submit(await sp.begin(browser), ada)
    expect(await sp.me(browser)).toBeUndefined()
    await sp.save({ metadataXml: await realm.descriptor(), ...attributes })
    await signIn()
  })
})
