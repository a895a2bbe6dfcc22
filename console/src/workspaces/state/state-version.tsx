import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { stateVersionsQuery } from '../../api/queries.ts'
import { plural } from '../../api/words.ts'
import { Select } from '../../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx'
import { Time } from '../../parts/time.tsx'
import { readState, stateAddress, type StateVersion } from './read-state.ts'
import { StateItemList } from './state-item-list.tsx'
import { attributeOf, compareStates, itemsOfState, type StateChange } from './state-items.ts'

type Props = { id: number; version: number; other: number | undefined }

/** One version of the state: its resources with their values, or what differs from another version. */
export function StateVersionView({ id, version: versionId, other: otherId }: Props) {
  const { versions, query } = useVersions(id, [versionId, ...(otherId ? [otherId] : [])])
  const version = versions.find((one) => one.id === versionId)
  const other = versions.find((one) => one.id === otherId)
  const back = (
    <Link to="/workspaces/$id" params={{ id }} search={{ tab: 'state' }}>
      Back to the state
    </Link>
  )
  if (!version)
    return query.error ? (
      <ErrorNote error={query.error} goesOn />
    ) : query.isPending || query.hasNextPage ? (
      <Loading what="the version" />
    ) : (
      <Empty title="This version of the state is gone">
        <p>{back}</p>
      </Empty>
    )
  return (
    <>
      <p>{back}</p>
      <section className="section" aria-labelledby="state-version">
        <h2 id="state-version">{nameOf(version)}</h2>
        <p className="dim">
          Written by {version.createdBy}, <Time at={version.createdAt} />. What the state marks as
          sensitive is hidden here. The download has it.
        </p>
        <div className="state-acts">
          <CompareWith id={id} version={version} versions={versions} other={other} />
          <a
            className="button"
            href={stateAddress(id, version)}
            download={`state-${id}-${version.serial}.json`}
          >
            Download
          </a>
        </div>
        <Content id={id} version={version} other={other} />
      </section>
    </>
  )
}

export const nameOf = ({ serial, status }: StateVersion): string =>
  status === 'quarantined' ? `Version ${serial}, quarantined` : `Version ${serial}`

/** The list of versions, loaded on until those that the address names are in it. */
function useVersions(id: number, wanted: readonly number[]) {
  const query = useInfiniteQuery(stateVersionsQuery(id))
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? []
  const isMissing = wanted.some((one) => !versions.some((version) => version.id === one))
  const { hasNextPage, isFetching, fetchNextPage } = query
  useEffect(() => {
    if (isMissing && hasNextPage && !isFetching) void fetchNextPage()
  }, [isMissing, hasNextPage, isFetching, fetchNextPage])
  return { versions, query }
}

type CompareProps = {
  id: number
  version: StateVersion
  versions: readonly StateVersion[]
  other: StateVersion | undefined
}

function CompareWith({ id, version, versions, other }: CompareProps) {
  const navigate = useNavigate()
  const others = versions.filter((one) => one.id !== version.id)
  if (others.length === 0) return null
  return (
    <Select
      label="Compare with"
      value={other?.id ?? ''}
      onChange={({ target }) =>
        void navigate({
          to: '/workspaces/$id',
          params: { id },
          search: {
            tab: 'state',
            version: version.id,
            ...(target.value && { with: Number(target.value) }),
          },
          replace: true,
        })
      }
    >
      <option value="">nothing: show its values</option>
      {others.map((one) => (
        <option key={one.id} value={one.id}>
          {nameOf(one)}, by {one.createdBy}
        </option>
      ))}
    </Select>
  )
}

const contentQuery = (id: number, version: StateVersion | undefined) => ({
  queryKey: ['workspaces', id, 'state', 'content', version?.id ?? 0],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    if (!version) throw new Error('without a version there is nothing to read')
    const items = itemsOfState(await readState(id, version, signal))
    if (!items) throw new Error('This state has a form that cannot be shown. Download it.')
    return items
  },
  enabled: version !== undefined,
  // A version never changes.
  staleTime: Infinity,
  gcTime: 60_000,
  retry: false,
})

type ContentProps = { id: number; version: StateVersion; other: StateVersion | undefined }

function Content({ id, version, other }: ContentProps) {
  const mine = useQuery(contentQuery(id, version))
  const theirs = useQuery(contentQuery(id, other))
  const error = mine.error ?? (other ? theirs.error : null)
  if (error) return <ErrorNote error={error} />
  if (!mine.data || (other && !theirs.data)) return <Loading what="the state" />
  if (!other || !theirs.data) {
    const items = mine.data.map(({ address, values }): StateChange => ({
      address,
      action: 'create',
      attributes: [...values].map(([name, value]) => attributeOf(name, undefined, value)),
    }))
    return (
      <StateItemList
        items={items}
        words={plural(items.length, 'resource or output', 'resources and outputs')}
      />
    )
  }
  // The older one is what was before, whichever of the two the address names first.
  const isOlder = version.id < other.id
  const changes = isOlder
    ? compareStates(mine.data, theirs.data)
    : compareStates(theirs.data, mine.data)
  const [from, to] = isOlder ? [version, other] : [other, version]
  return (
    <StateItemList
      items={changes}
      compared
      words={
        changes.length === 0
          ? `Nothing differs between ${nameOf(from)} and ${nameOf(to)}.`
          : `${plural(changes.length, 'difference')} from ${nameOf(from)} to ${nameOf(to)}`
      }
    />
  )
}
