import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ConfigurationVersion, Workspace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Select } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { configurationVersionsQuery } from './queries.ts'
import { RestoreVersion } from './restore-version.tsx'
import { useNewFiles } from './use-new-files.ts'
import { VersionDiff } from './version-diff.tsx'

type Props = { workspace: Workspace; older: number | undefined; newer: number | undefined }

/** The versions of the files, and what differs between any two of them. */
export function FilesHistory({ workspace, older, newer }: Props) {
  const { id } = workspace
  const query = useInfiniteQuery(configurationVersionsQuery(id))
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? []
  const [newest, before] = versions
  useNewFiles(workspace, query.data && (newest?.number ?? 0))
  const files = (
    <Link to="/workspaces/$id" params={{ id }} search={{ tab: 'files' }}>
      Back to the files
    </Link>
  )
  if (!query.data)
    return query.error ? <ErrorNote error={query.error} goesOn /> : <Loading what="the history" />
  if (!newest)
    return (
      <Empty title="No versions yet">
        <p>{files}</p>
      </Empty>
    )
  const compared = {
    newer: newer ?? newest.number,
    older:
      older ?? (newer === undefined ? before : versions.find((one) => one.number < newer))?.number,
  }
  return (
    <>
      <p>{files}</p>
      <section className="section">
        <h2>Versions of the files</h2>
        <ErrorNote error={query.error} goesOn />
        <Versions workspace={workspace} versions={versions} />
        <LoadMore query={query} />
      </section>
      {versions.length > 1 && (
        <section className="section">
          <h2>What changed</h2>
          <Compared id={id} versions={versions} {...compared} />
        </section>
      )}
    </>
  )
}

type ListProps = { workspace: Workspace; versions: readonly ConfigurationVersion[] }

function Versions({ workspace, versions }: ListProps) {
  return (
    <DataTable
      label="Versions of the files"
      rows={versions}
      columns={[
        {
          title: 'Version',
          render: ({ number }) => (
            <Link
              to="/workspaces/$id"
              params={{ id: workspace.id }}
              search={{ tab: 'files', version: number }}
            >
              Version {number}
            </Link>
          ),
        },
        { title: 'Saved', render: ({ createdAt }) => <Time at={createdAt} /> },
        { title: 'By', render: ({ authors }) => authors.map(({ label }) => label).join(', ') },
        {
          title: 'Files',
          render: ({ fileCount, commitSha }) => (
            <>
              {plural(fileCount, 'file')}
              {commitSha && (
                <>
                  , commit <code>{commitSha.slice(0, 12)}</code>
                </>
              )}
            </>
          ),
        },
        {
          title: 'Actions',
          look: 'actions',
          render: ({ number }) => <RestoreVersion workspace={workspace} version={number} />,
        },
      ]}
    />
  )
}

type ComparedProps = {
  id: number
  versions: readonly ConfigurationVersion[]
  older: number | undefined
  newer: number
}

function Compared({ id, versions, older, newer }: ComparedProps) {
  const navigate = useNavigate()
  const show = (pair: { older: number | undefined; newer: number }) =>
    void navigate({
      to: '/workspaces/$id',
      params: { id },
      search: {
        tab: 'files',
        history: true,
        version: pair.newer,
        ...(pair.older !== undefined && { with: pair.older }),
      },
      replace: true,
      resetScroll: false,
    })
  const numbers = [
    ...new Set([newer, ...(older ? [older] : []), ...versions.map((one) => one.number)]),
  ]
  const options = numbers
    .toSorted((a, b) => b - a)
    .map((number) => (
      <option key={number} value={number}>
        Version {number}
      </option>
    ))
  return (
    <>
      <div className="compared">
        <Select
          label="From"
          value={older ?? ''}
          onChange={({ target }) => show({ older: Number(target.value), newer })}
        >
          {older === undefined && <option value="">Choose a version</option>}
          {options}
        </Select>
        <Select
          label="To"
          value={newer}
          onChange={({ target }) => show({ older, newer: Number(target.value) })}
        >
          {options}
        </Select>
      </div>
      {older !== undefined && (
        <VersionDiff id={id} older={older} newer={newer}>
          Both versions have the same files.
        </VersionDiff>
      )}
    </>
  )
}
