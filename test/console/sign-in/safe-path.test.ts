import { expect, test } from 'vitest'
import { safePath } from '../../../console/src/sign-in/safe-path.ts'

test.each(['/', '/runs?state=failed&q=a%09b#log', '/workspaces/7', '/%09/host', '/größe'])(
  '%j is a path of this site',
  (next) => {
    expect(safePath(next)).toBe(next)
  },
)

test.each([
  undefined,
  '',
  'runs',
  '//evil.example',
  '/\\evil.example',
  // What `?next=/%09/evil.example` is, once it is read.
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '/\0/evil.example',
  '\t//evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/./\\evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/login?next=/login',
])('%j is not', (next) => {
  expect(safePath(next)).toBe('/')
})
