import { expect, test } from 'vitest'
import { safeTarget } from './safe-target.ts'

const origin = 'https://control.example'

test.each([
  ['/', '/'],
  ['/pipelines/4?stage=plan#line-7', '/pipelines/4?stage=plan#line-7'],
  ['/a/../pipelines', '/pipelines'],
  ['/a//b', '/a//b'],
  ['/%5cevil.example', '/%5cevil.example'],
])('%s leads to %s', (text, target) => {
  expect(safeTarget(text, origin)).toBe(target)
})

test.each([
  '',
  'pipelines',
  'https://control.example/pipelines',
  'https://evil.example',
  'javascript:alert(1)',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/x\r\nSet-Cookie: a=b',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  '/%2E%2e//evil.example',
  '/a/..//evil.example',
  '/a/b/../..//evil.example/c?d',
  '/..///evil.example',
  '/api/auth/logout',
  '/./api',
  '/login',
  '/login/../login',
  `/${'a'.repeat(1_000)}`,
])('%j leads nowhere', (text) => {
  expect(safeTarget(text, origin)).toBeUndefined()
})

test('whatever is let through stays on this origin, read by a browser or as a header', () => {
  const parts = ['/', '//', '.', '..', '%2e', 'evil.example', '\\', '@', ':', '?', '#', 'a']
  for (const a of parts)
    for (const b of parts)
      for (const c of parts)
        for (const d of parts) {
          const target = safeTarget(`/${a}${b}${c}${d}`, origin)
          if (target === undefined) continue
          expect(new URL(target, `${origin}/api/auth/saml/acs`).origin, target).toBe(origin)
        }
})
