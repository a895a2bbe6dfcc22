import { expect, test } from 'vitest'
import { shownUrl } from './shown-url.ts'

test.each([
  ['https://hooks.slack.com/services/T0/B0/secret', 'https://hooks.slack.com/…'],
  ['https://example.com:8443/?token=secret', 'https://example.com:8443/…'],
  ['https://example.com', 'https://example.com'],
  ['https://bücher.example/x', 'https://xn--bcher-kva.example/…'],
])('%s is shown as %s', (url, shown) => {
  expect(shownUrl(new URL(url))).toBe(shown)
})
