import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../api/call.ts'
import type { AnyRunDetail } from '../api/types.ts'
import { runChangesQuery, runManifestQuery } from './queries.ts'
import { ReleaseChanges } from './release-changes.tsx'

/** The part of a run that the page reads. */
const run = { id: 2, commits: [], commit: null } as unknown as AnyRunDetail

type Hook = Answer<'getPipelineRunChanges'>['hooks'][number]

function shown(diff: string | null, hooks: Hook[] = []): string {
  const client = new QueryClient()
  const path = '.cloud-control/app.yaml'
  client.setQueryData(runChangesQuery(1, 2).queryKey, {
    from: null,
    manifest: { path, change: 'added', diff },
    hooks,
  })
  client.setQueryData(runManifestQuery(1, 2).queryKey, {
    path,
    yaml: 'version: 1\nbuild: make release\n',
    sha256: '0'.repeat(64),
  })
  const page = createElement(ReleaseChanges, { run, place: { kind: 'pipeline', id: 1, runId: 2 } })
  return renderToStaticMarkup(createElement(QueryClientProvider, { client }, page))
}

describe('the manifest of a release', () => {
  test('is shown whole where it cannot be compared, so that its approver sees it', () => {
    const page = shown(null)
    expect(page).toContain('to be compared here')
    expect(page).toContain('build: make release')
  })

  test('is shown by its lines that changed where it can', () => {
    const page = shown('--- a\n+++ b\n@@ -0,0 +1 @@\n+version: 2\n')
    expect(page).toContain('version: 2')
    expect(page).not.toContain('build: make release')
  })
})

describe('a hook of a release', () => {
  const hook = (more: Partial<Hook>): Hook => ({
    name: 'activate',
    path: 'bin/activate',
    pathBefore: 'bin/activate',
    change: 'changed',
    diff: null,
    sha256: 'f'.repeat(64),
    ...more,
  })

  test('is shown whole where it cannot be compared, and says so', () => {
    const diff = '--- /dev/null\n+++ b/bin/activate\n@@ -0,0 +1 @@\n+rm -r data\n'
    const page = shown(null, [hook({ diff, whole: true })])
    expect(page).toContain('It could not be compared by lines. This is all of it.')
    expect(page).toContain('rm -r data')
    expect(shown(null, [hook({ diff })])).not.toContain('could not be compared')
  })

  test('is shown by its hash where it has no text to show', () => {
    expect(shown(null, [hook({})])).toContain('f'.repeat(64))
    const without = hook({ change: 'unknown', sha256: null })
    expect(shown(null, [without])).toContain('too large to be compared, or')
    expect(shown(null, [without])).not.toContain('SHA-256')
    expect(shown(null, [hook({ change: 'same' })])).not.toContain('SHA-256')
  })
})
