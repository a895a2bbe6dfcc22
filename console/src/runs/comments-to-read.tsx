import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { RunViewLink } from './run-tabs.tsx'

type Props = { run: Pick<AnyRunDetail, 'commentCount'>; place: RunPlace }

/** Leads whoever decides to what others said of the run. */
export function CommentsToRead({ run: { commentCount }, place }: Props) {
  if (commentCount === 0) return null
  return (
    <p>
      <RunViewLink place={place} search={{ tab: 'comments' }}>
        Read {plural(commentCount, 'comment')}
      </RunViewLink>
    </p>
  )
}
