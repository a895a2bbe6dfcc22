import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { runQuery, workspaceQuery } from '../api/queries.ts'
import type { RunPlace } from '../api/types.ts'
import { runNews } from './run-news.ts'

/** Whether the end of a stage of the run makes the workspace stale. */
async function isStaleAfterEnd(place: RunPlace, workspaceId: number): Promise<boolean> {
  const client = new QueryClient()
  const workspace = workspaceQuery(workspaceId).queryKey
  // Of both, only what is looked at here. Copies of the keys, which do not say what a whole answer has.
  client.setQueryData([...runQuery(place).queryKey], { run: { workspaceId } })
  client.setQueryData([...workspace], { workspace: { id: workspaceId } })
  runNews(client, place).onEnd()
  await new Promise((done) => setImmediate(done))
  const isStale = client.getQueryState(workspace)?.isInvalidated === true
  client.clear()
  return isStale
}

test('the end of a run of a pipeline makes its workspace be read again', async () => {
  expect(await isStaleAfterEnd({ kind: 'pipeline', id: 3, runId: 9 }, 7)).toBe(true)
})

test('so does that of a run of a workspace', async () => {
  expect(await isStaleAfterEnd({ kind: 'workspace', id: 7, runId: 9 }, 7)).toBe(true)
})
