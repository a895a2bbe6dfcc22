import { Scroller } from '../parts/scroller.tsx'
import { DiffLines } from '../runs/diff-lines.tsx'
import { unifiedHunks } from './unified-hunks.ts'

/** What changed in a file, as the API compares it. */
export function TextDiff({ title, diff }: { title: string; diff: string }) {
  return unifiedHunks(diff).map(({ line, lines }) => (
    <Scroller key={line} className="snippet wrapped" label={`${title}, from line ${line}`}>
      <DiffLines lines={lines} />
    </Scroller>
  ))
}
