import { DOMParser } from '@xmldom/xmldom'
import { expect, test } from 'vitest'
import { postFormPage, troublePage } from '../../../api/saml/pages.ts'

/** As a store from before the check may have it. */
const hostile = `https://idp.example/"'><script>alert(1)</script><img src=x onerror='a()'>&amp;\r\n\t`

test('whatever stands in an address or a field, the form that sends itself has one script', () => {
  const { html, headers } = postFormPage({
    action: hostile,
    fields: { [hostile]: hostile, RelayState: hostile },
  })
  expect(html.match(/<script/g)).toHaveLength(1)
  expect(html).not.toMatch(/<img|<script>alert/)
  const form = /<form[\s\S]*?<\/form>/.exec(html)?.[0] ?? ''
  const parsed = new DOMParser().parseFromString(
    form.replaceAll(/(<input[^>]*)>/g, '$1/>'),
    'text/xml',
  ).documentElement
  expect(parsed.getAttribute('action')).toBe(hostile)
  const inputs = Array.from(parsed.getElementsByTagName('input'))
  expect(inputs.map((input) => input.getAttribute('value'))).toEqual([hostile, hostile])
  expect(inputs.map((input) => input.getAttribute('name'))).toEqual([hostile, 'RelayState'])
  // Only the script whose hash is named runs, even if one came in.
  expect(headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'sha256-/)
  expect(headers['content-security-policy']).not.toMatch(/unsafe|<|idp\.example/)
})

test('a request id is written as text', () => {
  expect(troublePage(hostile)).not.toMatch(/<img|<script/)
})
