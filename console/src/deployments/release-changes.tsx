import { useQuery } from '@tanstack/react-query'
import type { AnyRunDetail, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { newestRunsQuery } from '../pipelines/queries.ts'
import { nameOfRun, RunLink } from '../runs/run-row.tsx'
import { FileDiff } from '../workspaces/file-diff.tsx'
import { earlierRelease } from './earlier-release.ts'
import { HookChanges } from './hook-changes.tsx'
import { runManifestQuery } from './queries.ts'

type Props = { run: AnyRunDetail; place: RunPlace }

/** What a release brings: its commits, and what changed in its manifest and its hooks. */
export function ReleaseChanges({ run, place }: Props) {
  return (
    <div className="checks">
      <Commits run={run} />
      <section className="stack" aria-labelledby="manifest-title">
        <h2 id="manifest-title">Manifest</h2>
        <ManifestChange run={run} place={place} />
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

/** Against the release that the hosts have before this run. */
function ManifestChange({ run, place }: Props) {
  const { data: runs } = useQuery(newestRunsQuery(place.id))
  const before = runs && earlierRelease(runs, run)
  const is = useQuery(runManifestQuery(place.id, run.id))
  const was = useQuery({
    ...runManifestQuery(place.id, before?.id ?? 0),
    enabled: before !== undefined,
  })
  if (isGone(is.error)) return <p className="dim">The manifest was not read.</p>
  if (is.error) return <ErrorNote error={is.error} goesOn />
  if (!is.data || !runs || (before && was.isPending)) return <Loading what="the manifest" />
  if (!before || !was.data)
    return (
      <>
        <p className="dim">There is no earlier release to compare it with.</p>
        <FileDiff name={is.data.path} was={undefined} is={is.data.yaml} />
      </>
    )
  const against = (
    <RunLink place={{ kind: 'pipeline', id: place.id, runId: before.id }}>
      {nameOfRun(before)}
    </RunLink>
  )
  if (was.data.sha256 === is.data.sha256)
    return <p className="dim">It is the same as in {against}, the last release.</p>
  return (
    <>
      <p className="dim">What changed since {against}, the last release.</p>
      <FileDiff name={is.data.path} was={was.data.yaml} is={is.data.yaml} />
    </>
  )
}
