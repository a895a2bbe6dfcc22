import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { RunPlace } from '../api/types.ts'
import { onSession, sessionState } from '../api/session-over.ts'
import { openLogFeed } from './log-feed.ts'
import { runNews } from './run-news.ts'

/** Greater than every line number, so the stream sends no lines and only the end of the stage. */
const afterAllLines = 2_000_000_000

/** Listens for the end of a stage on its log stream, and then refetches the run. */
export function useStageEnd({ kind, id, runId }: RunPlace, stage: string | undefined): void {
  const queryClient = useQueryClient()
  const { turn } = useSyncExternalStore(onSession, sessionState)
  useEffect(() => {
    if (stage === undefined) return
    const place = { kind, id, runId }
    const news = runNews(queryClient, place)
    const feed = openLogFeed(place, { stage, after: afterAllLines, ...news })
    return () => feed.close()
  }, [kind, id, runId, stage, queryClient, turn])
}
