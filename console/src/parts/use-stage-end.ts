import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { RunPlace } from '../api/types.ts'
import { openLogFeed } from './log-feed.ts'

/** Beyond any line: the stream then carries nothing but the end of its stage. */
const afterAllLines = 2_000_000_000

/** Hears over the stage's stream that it is over, and looks at the run at once. */
export function useStageEnd({ kind, id, runId }: RunPlace, stage: string | undefined): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (stage === undefined) return
    const onEnd = () => void queryClient.invalidateQueries({ queryKey: ['run', kind, id, runId] })
    const feed = openLogFeed({ kind, id, runId }, { stage, after: afterAllLines, onEnd })
    return () => feed.close()
  }, [kind, id, runId, stage, queryClient])
}
