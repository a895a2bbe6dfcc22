import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import type { AnyRunDetail } from '../api/types.ts'
import { runChangesQuery, runManifestQuery } from './queries.ts'
import { ReleaseChanges } from './release-changes.tsx'

/** The part of a run that the page reads. */
const run = { id: 2, commits: [], commit: null } as unknown as AnyRunDetail

function shown(diff: string | null): string {
  const client = new QueryClient()
  const path = '.cloud-control/app.yaml'
  client.setQueryData(runChangesQuery(1, 2).queryKey, {
    from: null,
    manifest: { path, change: 'added', diff },
    hooks: [],
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
