import { expect, test } from 'vitest'
import { faultOfEndpoint, faultOfEntityId } from './check-endpoint.ts'

test.each([
  'https://idp.example/sso',
  'https://idp.example:8443/adfs/ls/?SAMLRequest=%3C&x=(a),b;c=*!$~',
  'https://login.microsoftonline.com/7b1e5a3c-0000-4f00-9000-000000000000/saml2',
  'https://accounts.google.com/o/saml2/idp?idpid=C01abc',
  'https://[2001:db8::1]/sso',
  'https://xn--bcher-kva.example/sso',
])('%s is an address of an identity provider', (url) => {
  expect(faultOfEndpoint(url)).toBeUndefined()
})

test.each([
  ['http://idp.example/sso', /must be https/],
  ['javascript:alert(1)//https://idp.example', /must be https/],
  ['data:text/html,<script>1</script>', /must be https/],
  ['https://idp.example/"><script>alert(1)</script>', /markup/],
  ["https://idp.example/?a='onfocus=alert(1)//", /markup/],
  ['https://idp.example/`x`', /markup/],
  ['https://idp.example/{x}|^', /markup/],
  ['https://idp.example/%zz', /markup/],
  ['https://idp.example/a b', /markup/],
  ['https://idp.example/\u0000', /markup/],
  ['https://idp.example/\r\nSet-Cookie: x=1', /markup/],
  ['https://idp.example/\u202egnp', /markup/],
  ['https://b\u00fccher.example/sso', /markup/],
  ['https://idp.ex\u0430mple/sso', /markup/],
  ['https://ada:pw@idp.example/', /password/],
  ['https://ada@idp.example/', /password/],
  ['https://@idp.example/', /password/],
  ['https:idp.example/sso', /begin with/],
  ['https:/idp.example/sso', /begin with/],
  ['https:\\\\idp.example\\sso', /begin with/],
  ['https://idp.example/#x', /fragment/],
  [`https://idp.example/${'x'.repeat(2_000)}`, /longer/],
  ['nowhere', /not a URL/],
  ['', /not a URL/],
])('%j is refused', (url, message) => {
  expect(faultOfEndpoint(url)).toMatch(message)
})

test('an entity ID is a URI, and no markup', () => {
  for (const good of [
    'urn:x',
    'https://sts.windows.net/{tenantid}/',
    'http://a.test/b?c=d#e',
    'idp',
  ])
    expect(faultOfEntityId(good)).toBeUndefined()
  for (const bad of [
    '',
    'a b',
    '<x>',
    'a"b',
    "a'b",
    'a`b',
    'a\\b',
    'a\nb',
    'a\u0000',
    '\u00fc',
    '\u202e',
  ])
    expect(faultOfEntityId(bad), JSON.stringify(bad)).toMatch(/no URI has/)
  expect(faultOfEntityId('x'.repeat(1_025))).toMatch(/longer/)
})
