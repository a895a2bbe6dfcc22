import { expect, test } from 'vitest'
import { canReach } from './issuer-reach.ts'

test.each([
  ['http://127.0.0.1:8080/api/oidc/x', false],
  ['https://127.0.0.1/api/oidc/x', false],
  ['https://127.8.0.9', false],
  ['https://localhost:8443', false],
  ['https://control.localhost', false],
  ['https://[::1]:8080', false],
  ['http://control.example.com', false],
  ['not an address', false],
  ['https://control.example.com/api/oidc/x', true],
  ['https://localhost.example.com', true],
])('a cloud reaches the issuer %s: %s', (issuer, reached) => {
  expect(canReach(issuer)).toBe(reached)
})
