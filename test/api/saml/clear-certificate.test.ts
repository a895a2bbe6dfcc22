import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createIdentityProvider, type IdentityProvider } from '../../harness/identity-provider.ts'

let harness: Harness
let idp: IdentityProvider
beforeAll(async () => {
  harness = await createHarness()
  idp = await createIdentityProvider()
})
afterAll(async () => harness.close())

test('who configured a provider still counts after its certificate was cleared and given again', async () => {
  const organization = await harness.organization()
  const first = await organization.user('Owner')
  const second = await organization.user('Owner')
  const savedBy = async () => {
    const row = await harness.deps.store.tenant(organization.id, async (tenant) =>
      unwrap(tenant).db('saml_configurations').first('savedBy'),
    )
    return row.savedBy.toSorted((one: number, other: number) => one - other)
  }
  const { entityId: idpEntityId, ssoUrl, certificate } = idp
  const both = [first.id, second.id]
  expect((await first.post('/api/org/saml', { idpEntityId, ssoUrl, certificate })).statusCode).toBe(
    200,
  )
  for (const given of [null, certificate]) {
    const saved = await second.post('/api/org/saml', { idpEntityId, certificate: given })
    expect(saved.statusCode, saved.body).toBe(200)
    expect(await savedBy()).toEqual(both)
  }
})

test('200 and 409: null clears the certificate, of a disabled configuration alone', async () => {
  const owner = await (await harness.organization()).user('Owner')
  const save = async (body: object) => owner.post('/api/org/saml', body)
  const shown = async () => (await owner.get('/api/org/saml')).json().saml
  const { entityId: idpEntityId, ssoUrl, certificate } = idp
  await save({ idpEntityId, ssoUrl, certificate })
  expect((await owner.patch('/api/org/saml', { enabled: true })).statusCode).toBe(200)
  const clear = { idpEntityId, certificate: null, metadataXml: null }
  const refused = await save(clear)
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'saml_is_enabled'])
  expect(await shown()).toMatchObject({ certificateSet: true })
  expect((await owner.patch('/api/org/saml', { enabled: false })).statusCode).toBe(200)
  const cleared = await save(clear)
  expect(cleared.statusCode, cleared.body).toBe(200)
  expect(await shown()).toMatchObject({ certificateSet: false, ssoUrl })
  // Metadata brings what is cleared beside it; without it both addresses are needed.
  const ofMetadata = { idpEntityId: null, ssoUrl: null, certificate: null }
  const again = await save({ ...ofMetadata, metadataXml: idp.metadata() })
  expect(again.statusCode, again.body).toBe(200)
  expect(await shown()).toMatchObject({ certificateSet: true, idpEntityId })
  for (const body of [{ metadataXml: null }, { idpEntityId: null }, { idpEntityId, ssoUrl: null }])
    expect((await save(body)).statusCode, JSON.stringify(body)).toBe(400)
})
