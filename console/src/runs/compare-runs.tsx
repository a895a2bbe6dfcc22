import { useQuery } from '@tanstack/react-query'
import { configurationVersionQuery, runQuery } from '../api/queries.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { DiffLines } from './diff-lines.tsx'
import { isOfWorkspace } from './is-of-workspace.ts'
import { lineDiff } from './line-diff.ts'
import { nameOfRun, RunLink, Summary } from './run-row.tsx'

/** What differs between this run and another one of its workspace: `other` is its id there. */
export function CompareRuns({ run, other }: { run: RunDetail; other: number }) {
  const place: RunPlace = { kind: 'workspace', id: run.workspaceId, runId: other }
  const { data, error } = useQuery(runQuery(place))
  if (isGone(error)) return <Gone what="run" to="/workspaces" list="All workspaces" />
  if (!data) return error ? <ErrorNote error={error} goesOn /> : <Loading what="the other run" />
  const earlier = data.run
  if (!isOfWorkspace(earlier)) return null
  return (
    <>
      <section className="section">
        <h2>
          Compared with <RunLink place={place}>{nameOfRun(earlier)}</RunLink>
        </h2>
        <Facts before={earlier} after={run} />
      </section>
      <section className="section">
        <h2>Files</h2>
        <Files before={earlier} after={run} />
      </section>
    </>
  )
}

type Pair = { before: RunDetail; after: RunDetail }

function Facts({ before, after }: Pair) {
  const row = (id: string, show: (run: RunDetail) => React.ReactNode) => ({
    id,
    before: show(before),
    after: show(after),
  })
  return (
    <DataTable
      label="Facts of both runs"
      rows={[
        row('State', (run) => <StateBadge run={run} />),
        row('Started', (run) => (
          <>
            by {run.author.label}, <Time at={run.createdAt} />
          </>
        )),
        row('Files', ({ configurationVersion, commitSha }) => (
          <>
            version {configurationVersion}
            {commitSha && (
              <>
                , commit <code>{commitSha.slice(0, 12)}</code>
              </>
            )}
          </>
        )),
        row('Changes', ({ summary }) => (summary ? <Summary summary={summary} /> : 'no plan')),
      ]}
      columns={[
        { title: 'Fact', render: ({ id }) => id },
        { title: nameOfRun(before), render: (fact) => fact.before },
        { title: 'This run', render: (fact) => fact.after },
      ]}
    />
  )
}

function Files({ before, after }: Pair) {
  const { workspaceId: id } = after
  const [olds, news] = [
    useQuery(configurationVersionQuery(id, before.configurationVersion)),
    useQuery(configurationVersionQuery(id, after.configurationVersion)),
  ]
  const error = olds.error ?? news.error
  if (!olds.data || !news.data)
    return error ? <ErrorNote error={error} goesOn /> : <Loading what="files" />
  const [was, is] = [olds.data.configuration?.files ?? {}, news.data.configuration?.files ?? {}]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].toSorted()
  const changed = names.filter((name) => was[name] !== is[name])
  if (changed.length === 0)
    return (
      <p className="dim">
        Both runs used the same files: a variable, the state or the cloud differs.
      </p>
    )
  const rest = changed.length - maxFiles
  return (
    <div className="checks">
      {changed.slice(0, maxFiles).map((name) => (
        <FileDiff key={name} name={name} was={was[name]} is={is[name]} />
      ))}
      {rest > 0 && <p className="dim">{plural(rest, 'more file')} differ.</p>}
    </div>
  )
}

const maxFiles = 50

type FileProps = { name: string; was: string | undefined; is: string | undefined }

function FileDiff({ name, was, is }: FileProps) {
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
          <Scroller key={line} className="snippet" label={`${title}, from line ${line}`}>
            <DiffLines lines={lines} />
          </Scroller>
        ))
      ) : (
        <p className="dim">It differs in too many lines to be compared here.</p>
      )}
    </article>
  )
}
