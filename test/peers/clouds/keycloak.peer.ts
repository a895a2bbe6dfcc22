import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signWebIdentity } from '../../../app/clouds/sign-web-identity.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { canRunKeycloak, installKeycloak, startKeycloak, type Keycloak } from '../saml/keycloak.ts'

const realm = 'relying'
const accountId = '123456789012'

// A cloud trusts an organization's issuer by its discovery document, and one subject of it by name. So
// does Keycloak's client authenticator `federated-jwt`: a client without a secret proves itself by a token
// that another issuer signed.
describe.skipIf(!canRunKeycloak())('Keycloak trusts the issuer', () => {
  let harness: Harness
  let keycloak: Keycloak
  let org: TestOrganization
  let other: TestOrganization
  beforeAll(async () => {
    const folder = await installKeycloak()
    harness = await createHarness()
    keycloak = await startKeycloak(folder)
    ;[org, other] = [await harness.organization(), await harness.organization()]
    await keycloak.admin('POST', '/admin/realms', { realm, enabled: true, sslRequired: 'none' })
    await trust(org, 'own')
    await trust(other, 'other')
    await addClient('cloud-control', 'own', `organization:${org.slug}:account:${accountId}`)
  }, 900_000)
  afterAll(async () => {
    await keycloak?.close()
    await harness?.close()
  })

  const issuerOf = async ({ id }: TestOrganization) => {
    const { platform } = harness.deps.store
    const { publicId } = await platform('organizations').where({ id }).first('publicId')
    return `${harness.config.baseUrl}/oidc/${publicId}`
  }
  /** An identity provider of which Keycloak itself reads the discovery document. */
  const trust = async (organization: TestOrganization, alias: string) => {
    const path = `/admin/realms/${realm}/identity-provider`
    const fromUrl = `${await issuerOf(organization)}/.well-known/openid-configuration`
    const found = await keycloak.admin('POST', `${path}/import-config`, {
      providerId: 'oidc',
      fromUrl,
    })
    // Keycloak's own answer about our document.
    const config = (await found.json()) as Record<string, string>
    expect(config).toMatchObject({
      issuer: await issuerOf(organization),
      jwksUrl: `${await issuerOf(organization)}/jwks.json`,
    })
    await keycloak.admin('POST', `${path}/instances`, {
      alias,
      providerId: 'oidc',
      enabled: true,
      hideOnLogin: true,
      config: {
        ...config,
        clientId: 'not-used',
        clientSecret: 'not-used',
        // Required of a provider by which people sign in, which this one is not.
        authorizationUrl: `${keycloak.origin}/not-used`,
        tokenUrl: `${keycloak.origin}/not-used`,
        validateSignature: 'true',
        useJwksUrl: 'true',
        supportsClientAssertions: 'true',
      },
    })
  }
  const addClient = async (clientId: string, alias: string, subject: string) =>
    keycloak.admin('POST', `/admin/realms/${realm}/clients`, {
      clientId,
      enabled: true,
      publicClient: false,
      serviceAccountsEnabled: true,
      clientAuthenticatorType: 'federated-jwt',
      attributes: { 'jwt.credential.issuer': alias, 'jwt.credential.sub': subject },
    })
  const sign = async (
    { id }: TestOrganization,
    of: { subject?: { accountId: string }; audience?: string } = {},
  ) => {
    const { store, keyring } = harness.deps
    const issuerOrigin = harness.config.baseUrl ?? ''
    const audience = `${keycloak.origin}/realms/${realm}`
    return signWebIdentity({ store, keyring, issuerOrigin }, id, {
      subject: { accountId },
      audience,
      ...of,
    })
  }
  const exchange = async (assertion: string) => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    })
    const path = `/realms/${realm}/protocol/openid-connect/token`
    const answer = await keycloak.admin('POST', path, form)
    return (await answer.json()) as { access_token?: string }
  }

  test('a token of the account is exchanged for one of Keycloak, once', async () => {
    const token = await sign(org)
    const { access_token: granted = '' } = await exchange(token)
    const claims = JSON.parse(Buffer.from(granted.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({
      iss: `${keycloak.origin}/realms/${realm}`,
      azp: 'cloud-control',
    })
    // A replay: Keycloak remembers the token's id.
    await expect(exchange(token)).rejects.toThrow(/40[01]/)
    expect((await exchange(await sign(org))).access_token).toBeTruthy()
  })

  test('another account, audience, organization or signature is refused', async () => {
    const token = await sign(org)
    const [head, body, signature = ''] = token.split('.')
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    const refused = {
      account: await sign(org, { subject: { accountId: '210987654321' } }),
      audience: await sign(org, { audience: 'sts.amazonaws.com' }),
      organization: await sign(other),
      signature: `${head}.${body}.${flipped}`,
    }
    for (const [what, assertion] of Object.entries(refused))
      await expect(exchange(assertion), what).rejects.toThrow(/40[01]/)
  })
})
