import { DOMParser } from '@xmldom/xmldom'
import { expect, test } from 'vitest'
import { postFormPage, troublePage } from '../../../api/saml/pages.ts'

/** Values that a database may contain from before they were checked. */
const hostile = `https://idp.example/"'><script>alert(1)</script><img src=x onerror='a()'>&amp;\r\n\t`

test('hostile addresses and fields: the self-submitting form has one script', () => {
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
  // The policy allows only the script with this hash, even if another one was injected.
  expect(headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'sha256-/)
  expect(headers['content-security-policy']).not.toMatch(/unsafe|<|idp\.example/)
})

test('a request id is escaped', () => {
  expect(troublePage(hostile)).not.toMatch(/<img|<script/)
})
