import { useQuery } from '@tanstack/react-query'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { plainLine, plainText } from '../parts/plain-text.ts'
import { RunLink } from '../runs/run-row.tsx'
import { HookChanges } from './hook-changes.tsx'
import { runChangesQuery } from './queries.ts'
import { TextDiff } from './text-diff.tsx'
import { WholeManifest } from './whole-manifest.tsx'

type Props = { run: AnyRunDetail; place: RunPlace }

/** What a release brings: its commits, and what changed in its manifest and its hooks. */
export function ReleaseChanges({ run, place }: Props) {
  return (
    <div className="checks">
      <Commits run={run} />
      <section className="stack" aria-labelledby="manifest-title">
        <h2 id="manifest-title">Manifest</h2>
        <ManifestChange runId={run.id} place={place} />
      </section>
      <section className="stack" aria-labelledby="hooks-title">
        <h2 id="hooks-title">Hooks</h2>
        <HookChanges runId={run.id} place={place} />
      </section>
    </div>
  )
}

function Commits({ run: { commits = [], commitsTruncated, commit } }: { run: AnyRunDetail }) {
  return (
    <section className="stack" aria-labelledby="commits-title">
      <h2 id="commits-title">
        Commits since the last release <span className="count">{commits.length}</span>
      </h2>
      {commits.length === 0 ? (
        <p className="dim">
          {commit
            ? 'None from the Git host: it is the first release, or this commit was deployed before.'
            : 'The source was not read yet.'}
        </p>
      ) : (
        <ol className="commits">
          {commits.map(({ sha, author, message }) => (
            <li key={sha}>
              <code>{sha.slice(0, 7)}</code> <bdi>{plainLine(message)}</bdi>{' '}
              <span className="dim">
                <bdi>{plainLine(author)}</bdi>
              </span>
            </li>
          ))}
        </ol>
      )}
      {commitsTruncated && (
        <p className="dim">
          There are more: only the newest {plural(commits.length, 'commit')} are shown.
        </p>
      )}
    </section>
  )
}

/** Against the release that this run replaces, which the API finds among all runs. */
function ManifestChange({ runId, place }: { runId: number; place: RunPlace }) {
  const { data, error } = useQuery(runChangesQuery(place.id, runId))
  if (isGone(error)) return <p className="dim">The manifest was not read.</p>
  if (error) return <ErrorNote error={error} goesOn />
  if (!data) return <Loading what="the manifest" />
  const { from, manifest } = data
  const against = from && (
    <RunLink place={{ kind: 'pipeline', id: place.id, runId: from.runId }}>
      Run #{from.number}
    </RunLink>
  )
  if (manifest.change === 'same')
    return <p className="dim">It is the same as in {against}, the last release.</p>
  const title = plainText(manifest.path)
  return (
    <>
      <p className="dim">
        {against ? (
          <>What changed since {against}, the last release.</>
        ) : (
          'There is no earlier release to compare it with.'
        )}
      </p>
      <article className="check-box">
        <h3>
          <code>{title}</code>
          {manifest.change === 'added' && <span className="tag good">new</span>}
        </h3>
        <TextDiff title={title} diff={manifest.diff ?? ''} />
        {manifest.diff === null && (
          <>
            <p className="dim">
              It is too long, or differs in too many lines, to be compared here. This is all of it,
              also what did not change.
            </p>
            <WholeManifest runId={runId} place={place} />
          </>
        )}
      </article>
    </>
  )
}
