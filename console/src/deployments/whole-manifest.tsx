import { useQuery } from '@tanstack/react-query'
import type { RunPlace } from '../api/types.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'
import { DiffLines } from '../runs/diff-lines.tsx'
import { runManifestQuery } from './queries.ts'

/** The manifest itself, where it cannot be compared: an approver must still see what they approve. */
export function WholeManifest({ runId, place }: { runId: number; place: RunPlace }) {
  const { data, error } = useQuery(runManifestQuery(place.id, runId))
  if (error) return <ErrorNote error={error} goesOn />
  if (!data) return <Loading what="the whole manifest" />
  const lines = data.yaml.split('\n').map((text) => ({ kind: 'same' as const, text }))
  return (
    <Scroller className="snippet wrapped" label={`${plainText(data.path)}, all of it`}>
      <DiffLines lines={lines} />
    </Scroller>
  )
}
