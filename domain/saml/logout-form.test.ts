import { generateKeyPairSync, sign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readRedirect, verifyRedirect } from './redirect-binding.ts'

/** A bare public key does where a certificate is asked for. */
function newKey(): { privateKey: string; certificate: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

const key = newKey()
const other = newKey()
const xml = '<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"/>'

const rfc3986 = (value: string) =>
  encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
const form = (value: string) => new URLSearchParams({ x: value }).toString().slice(2)
const small = (value: string) => rfc3986(value).replaceAll(/%../g, (one) => one.toLowerCase())
const spellings = { rfc3986, form, small, browser: encodeURIComponent }
const sentAsForm = (signs: (value: string) => string, relayState?: string) => {
  const fields = [
    ['SAMLRequest', deflateRawSync(xml).toString('base64')],
    ...(relayState === undefined ? [] : [['RelayState', relayState]]),
    ['SigAlg', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'],
  ].map(([name = '', value = '']): [string, string] => [name, value])
  const text = fields.map(([name, value]) => `${name}=${signs(value)}`).join('&')
  const signature = sign('sha256', Buffer.from(text), key.privateKey).toString('base64')
  return [...fields, ['Signature', signature] as [string, string]]
}

test.each(Object.entries(spellings))(
  'a form’s values are verified in the spelling that was signed: %s',
  (_, signs) => {
    for (const relayState of [undefined, 'plain', "a b~'(é)&=%+/*!"]) {
      const text = new URLSearchParams(sentAsForm(signs, relayState)).toString()
      const read = readRedirect(text, 'form')
      expect(read.relayState).toBe(relayState)
      expect(verifyRedirect(read, [other.certificate, key.certificate])).toBe(key.certificate)
    }
  },
)

test('of a form too no other value is taken, and of a query no other spelling', () => {
  const fields = sentAsForm(encodeURIComponent, "it's")
  const asForm = (change: Record<string, string>) =>
    new URLSearchParams({ ...Object.fromEntries(fields), ...change }).toString()
  const taken = (text: string, from: 'form' | 'query') =>
    verifyRedirect(readRedirect(text, from), [key.certificate]) !== undefined
  expect(taken(asForm({}), 'form')).toBe(true)
  expect(taken(asForm({}), 'query')).toBe(false)
  for (const RelayState of ['its', "it's ", "it's&SigAlg=x", 'it%27s', ''])
    expect(taken(asForm({ RelayState }), 'form'), RelayState).toBe(false)
})

test('an empty RelayState in a form is as good as none', () => {
  const text = new URLSearchParams([...sentAsForm(rfc3986), ['RelayState', '']]).toString()
  expect(verifyRedirect(readRedirect(text, 'form'), [key.certificate])).toBe(key.certificate)
})
