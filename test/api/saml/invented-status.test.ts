import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSamlOrganization, postResponse } from '../../harness/saml-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ env: { CC_TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(async () => harness.close())

test('invented statuses of unsigned responses, from many addresses of one network, are one entry of the audit log', async () => {
  const own = await createSamlOrganization(harness)
  const begun = await own.begin()
  const statuses = [
    'urn:x:status:ForgedA',
    'urn:x:status:ForgedB',
    'urn:oasis:names:tc:SAML:2.0:status:Forged',
    'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed:status:Forged',
  ]
  for (const [at, status] of statuses.entries()) {
    const xml = own.idp.response(begun, { sign: 'none', assertionXml: ' ', status })
    const answer = await postResponse(harness, begun, xml, {
      headers: { 'x-forwarded-for': `2001:db8::${at + 1}` },
    })
    expect(answer.headers.location).toBe('/login?sso=failed')
  }
  const { entries } = (await own.admin.get('/api/audit?event=saml.login_failed')).json()
  expect(entries.map(({ detail }: { detail: { reason: string } }) => detail.reason)).toEqual([
    'status_unknown',
  ])
})
