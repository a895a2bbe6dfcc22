import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { LogLine, RunPlace } from '../api/types.ts'
import { openLogFeed } from '../runs/log-feed.ts'
import { runNews } from '../runs/run-news.ts'

/** A host prints many lines a second; the list is rendered twice in one. */
const showMs = 500

/** The last line that each host printed, by its name, while a deployment goes on. It also tells of its end. */
export function useLastLines(
  { kind, id, runId }: RunPlace,
  isLive: boolean,
): ReadonlyMap<string, LogLine> {
  const queryClient = useQueryClient()
  const [shown, setShown] = useState<ReadonlyMap<string, LogLine>>(() => new Map())
  useEffect(() => {
    if (!isLive) return
    const lines = new Map<string, LogLine>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      timer = undefined
      setShown(new Map(lines))
    }
    const place = { kind, id, runId }
    const feed = openLogFeed(place, {
      stage: 'deploy',
      onLine(line) {
        if (line.host === undefined) return
        lines.set(line.host, line)
        timer ??= setTimeout(show, showMs)
      },
      ...runNews(queryClient, place),
    })
    return () => {
      clearTimeout(timer)
      feed.close()
    }
  }, [kind, id, runId, isLive, queryClient])
  return shown
}
