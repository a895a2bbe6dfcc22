import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../api/call.ts'
import type { RunPlace } from '../api/types.ts'
import { isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { plainText } from '../parts/plain-text.ts'
import { runChangesQuery } from './queries.ts'
import { TextDiff } from './text-diff.tsx'

type Change = Answer<'getPipelineRunChanges'>['hooks'][number]

const tags = {
  added: { look: 'tag good', word: 'new' },
  removed: { look: 'tag bad', word: 'removed' },
  changed: { look: 'tag', word: 'changed' },
  same: { look: 'tag', word: 'not changed' },
  unknown: { look: 'tag', word: 'not comparable' },
}

/** The programs that a release runs on hosts, against those of the release that runs there now. */
export function HookChanges({ runId, place }: { runId: number; place: RunPlace }) {
  const { data, error } = useQuery(runChangesQuery(place.id, runId))
  if (isGone(error)) return <p className="dim">The build has not ended.</p>
  if (error) return <ErrorNote error={error} goesOn />
  if (!data) return <Loading what="the hooks" />
  if (data.hooks.length === 0) return <p className="dim">It has none.</p>
  return data.hooks.map((change) => <OneHook key={change.name} change={change} />)
}

function OneHook({ change: hook }: { change: Change }) {
  const { name, path, pathBefore, change, diff, whole } = hook
  const { look, word } = tags[change]
  const title = plainText(path)
  return (
    <article className="check-box">
      <h3>
        {name} <code>{title}</code> <span className={look}>{word}</span>
      </h3>
      {pathBefore !== null && pathBefore !== path && (
        <p className="dim">
          Before: <code>{plainText(pathBefore)}</code>
        </p>
      )}
      {whole && <p className="dim">It could not be compared by lines. This is all of it.</p>}
      <TextDiff title={title} diff={diff ?? ''} />
      {diff === null && change !== 'same' && <WithoutText hook={hook} />}
    </article>
  )
}

/** What is known of a file that cannot be shown. */
function WithoutText({ hook: { change, sha256 } }: { hook: Change }) {
  if (sha256 !== null)
    return (
      <p className="dim">
        It is no text, or is too long to be shown. Its SHA-256 is <code>{sha256}</code>.
      </p>
    )
  return (
    <p className="dim">
      {change === 'removed'
        ? 'It was no text, or was too long to be shown.'
        : 'It is too large to be compared, or was built before hooks were noted.'}
    </p>
  )
}
