import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { RunPlace } from '../api/types.ts'
import { onSession, sessionState } from '../api/session-over.ts'
import { openLogFeed } from './log-feed.ts'
import { runNews } from './run-news.ts'

type Feed = ReturnType<typeof openLogFeed>
const nothing: ReturnType<Feed['snapshot']> = { lines: [], state: 'connecting' }
const never = () => () => undefined

/** Subscribes to the log of a stage, and refetches the run when the stage ends. */
export function useLogFeed({ kind, id, runId }: RunPlace, stage: string) {
  const [feed, setFeed] = useState<Feed>()
  const queryClient = useQueryClient()
  const { turn } = useSyncExternalStore(onSession, sessionState)
  useEffect(() => {
    const place = { kind, id, runId }
    const opened = openLogFeed(place, { stage, ...runNews(queryClient, place) })
    setFeed(opened)
    return () => {
      opened.close()
      setFeed(undefined)
    }
  }, [kind, id, runId, stage, queryClient, turn])
  return useSyncExternalStore(feed?.subscribe ?? never, feed?.snapshot ?? (() => nothing))
}
