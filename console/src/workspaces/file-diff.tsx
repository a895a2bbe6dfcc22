import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'
import { DiffLines } from '../runs/diff-lines.tsx'
import { lineDiff } from '../runs/line-diff.ts'

type FileProps = { name: string; was: string | undefined; is: string | undefined }

/** What changed in one file: `undefined` where there is no such file. */
export function FileDiff({ name, was, is }: FileProps) {
  const hunks = lineDiff(was ?? '', is ?? '')
  const title = plainText(name)
  return (
    <article className="check-box">
      <h3>
        <code>{title}</code>
        {was === undefined && <span className="tag good">new</span>}
        {is === undefined && <span className="tag bad">removed</span>}
      </h3>
      {hunks ? (
        hunks.map(({ line, lines }) => (
          <Scroller key={line} className="snippet wrapped" label={`${title}, from line ${line}`}>
            <DiffLines lines={lines} />
          </Scroller>
        ))
      ) : (
        <p className="dim">It differs in too many lines to be compared here.</p>
      )}
    </article>
  )
}
