import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../config.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startDnsServer, type DnsServer } from '../../harness/dns-server.ts'
import { createSamlOrganization, type SamlOrganization } from '../../harness/saml-organization.ts'

let dns: DnsServer
let harness: Harness
let saml: SamlOrganization
beforeAll(async () => {
  dns = await startDnsServer()
  harness = await createHarness({ env: { CC_DNS_SERVERS: dns.address } })
  saml = await createSamlOrganization(harness)
})
afterAll(async () => {
  await harness.close()
  await dns.close()
})

const routed = async (domain: string) => {
  const payload = { email: `ada@${domain}` }
  const answer = await harness.app.inject({ method: 'POST', url: '/api/auth/saml/login', payload })
  return answer.statusCode === 200 ? new URL(answer.json().redirectUrl).host : 'nowhere'
}
const shown = async ({ admin }: SamlOrganization) => (await admin.get('/api/org/saml')).json().saml
const hostOf = ({ idp }: SamlOrganization) => new URL(idp.ssoUrl).host

test('a single organization need not prove its domain; with a second one, each must', async () => {
  expect(await routed(saml.domain)).toBe(hostOf(saml))
  expect(await shown(saml)).toMatchObject({ domainProofRequired: false, warnings: [] })
  expect(dns.asked).toEqual([])

  // The attacker has an organization of their own and claims another organization's domain.
  const other = await createSamlOrganization(harness, { emailDomains: [saml.domain] })
  expect(await routed(saml.domain)).toBe('nowhere')
  expect(await shown(other)).toMatchObject({
    domainProofRequired: true,
    warnings: [{ code: 'domain_not_proved' }],
  })
  const { serviceProvider: _, ...sso } = (await saml.admin.get('/api/org/sso')).json()
  expect(sso.saml.domainProofRequired).toBe(true)

  const [{ record }] = (await shown(saml)).domains
  dns.records.set(record.name, [record.value])
  expect((await saml.admin.post('/api/org/saml/domains/check')).statusCode).toBe(200)
  expect((await other.admin.post('/api/org/saml/domains/check')).statusCode).toBe(200)
  expect(await routed(saml.domain)).toBe(hostOf(saml))
})

test('sign-in by slug needs no proof', async () => {
  const other = await createSamlOrganization(harness)
  expect((await other.begin()).redirectUrl).toContain(other.idp.ssoUrl)
})

test('CC_DOMAIN_PROOF: a set value applies; the default in production is dns', () => {
  const of = (env: Record<string, string>) =>
    readConfig({
      DATABASE_URL: 'postgres://nobody@localhost/none',
      TEMPORAL_ADDRESS: 'localhost:1',
      CC_KEYRING: `k1=${Buffer.alloc(32, 1).toString('base64')}`,
      SMTP_URL: 'smtps://mail.example',
      ...env,
    }).domainProof
  expect(of({})).toBe('shared')
  expect(of({ CC_DOMAIN_PROOF: 'none' })).toBe('none')
  expect(of({ CC_DOMAIN_PROOF: 'dns' })).toBe('dns')
  expect(() => of({ CC_DOMAIN_PROOF: 'shared' })).toThrow(/CC_DOMAIN_PROOF/)
})
