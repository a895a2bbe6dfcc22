import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseXml } from '../../../domain/saml/parse-xml.ts'
import { bareCertificate } from '../../../domain/saml/sp-metadata.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { provider } from './logout-provider.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const get = async (query = '') => harness.app.inject({ url: `/api/auth/saml/metadata${query}` })

const elementsOf = (text: string) =>
  Array.from(parseXml(text).getElementsByTagName('*'), ({ localName }) => localName)

test('200: a known organization: its entity ID, key and both endpoints, in the schema’s order', async () => {
  const { org, spKey } = await provider(harness, { enabled: false })
  const response = await get(`?org=${org.slug}`)
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('application/samlmetadata+xml; charset=utf-8')
  const base = `${harness.config.baseUrl}/api/auth/saml`
  const root = parseXml(response.body)
  expect(root.getAttribute('entityID')).toBe(`${base}/metadata?org=${org.slug}`)
  expect(elementsOf(response.body)).toEqual([
    'SPSSODescriptor',
    'KeyDescriptor',
    'KeyInfo',
    'X509Data',
    'X509Certificate',
    'SingleLogoutService',
    'SingleLogoutService',
    'NameIDFormat',
    'NameIDFormat',
    'NameIDFormat',
    'AssertionConsumerService',
  ])
  const services = Array.from(root.getElementsByTagName('md:SingleLogoutService'), (element) => [
    element.getAttribute('Binding')?.split(':').at(-1),
    element.getAttribute('Location'),
  ])
  expect(services).toEqual([
    ['HTTP-Redirect', `${base}/slo`],
    ['HTTP-POST', `${base}/slo`],
  ])
  expect(response.body).toContain(bareCertificate(spKey.certificate))
  expect(response.body).not.toContain('PRIVATE')
})

test('200: no organization, an unknown one, one without a key and an invalid name get the same document', async () => {
  const plain = await harness.organization()
  const answers = await Promise.all(
    [
      '',
      '?org=',
      '?org=nobody',
      `?org=${plain.slug}`,
      '?org=a&org=b',
      '?org[]=a',
      `?org=${'x'.repeat(5_000)}`,
      '?org=%ZZ',
      '?org=%00',
      '?org=%27%22%3E',
    ].map(get),
  )
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  const body = answers[0]?.body ?? ''
  expect(body).not.toMatch(/KeyDescriptor|SingleLogoutService|X509/)
  expect(elementsOf(body)).toContain('AssertionConsumerService')
})
