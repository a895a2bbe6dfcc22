import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { RunPlace } from '../api/types.ts'
import { onSession, sessionState } from '../api/session-over.ts'
import { openLogFeed } from './log-feed.ts'
import { runNews } from './run-news.ts'

/** Beyond any line: the stream then carries nothing but the end of its stage. */
const afterAllLines = 2_000_000_000

/** Hears over the stage's stream that it is over, and looks at the run at once. */
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
