import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { docsTheme } from './docs-theme.ts'
import { nounOf, nouns } from './nouns-of-routes.ts'

test.each([
  ['/api/workspaces/:id', 'Workspaces'],
  ['/api/workspaces/:id/state/versions', 'Workspaces'],
  ['/api/workspaces/:id/runs/:runId/approve', 'Runs'],
  ['/api/workspaces/:id/apply', 'Runs'],
  ['/api/pipelines/:id/run', 'Runs'],
  ['/api/pipelines/:id', 'Pipelines'],
  ['/api/org/tokens', 'Tokens'],
  ['/api/auth/tokens/:id', 'Tokens'],
  ['/api/auth/login', 'Sign-in'],
  ['/api/org/scim/log', 'Provisioning'],
  ['/healthz', 'Platform'],
])('%s is of %s', (url, noun) => expect(nounOf(url)).toBe(noun))

test('each group of the reference has an operation, and only administration and health are of the platform', () => {
  const document = JSON.parse(
    readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
  ) as { paths: Record<string, Record<string, { tags: string[] }>> }
  const used = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ tags }) => tags.map((tag) => [tag, path] as const)),
  )
  expect(new Set(used.map(([tag]) => tag))).toEqual(new Set(nouns.map(([name]) => name)))
  const ofPlatform = used.filter(([tag]) => tag === 'Platform').map(([, path]) => path)
  expect(ofPlatform.filter((path) => !/^\/(api\/admin|healthz|readyz)/.test(path))).toEqual([])
})

test('the reference has the colours of the console', () => {
  const tokens = readFileSync(
    new URL('../../console/src/styles/tokens.css', import.meta.url),
    'utf8',
  )
  const colours = [...docsTheme.matchAll(/(--[a-z-]+): (light-dark\([^)]*\));/g)]
  expect(colours.length).toBeGreaterThan(8)
  for (const [, name, value] of colours) expect(tokens).toContain(`${name}: ${value};`)
})
