import { useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import { planQuery } from '../api/queries.ts'
import type { RunPlace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { Button } from '../parts/forms.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { PlanActions } from './plan-actions.tsx'
import { ActionChips, PlanFilters } from './plan-bar.tsx'
import { entriesOf } from './plan-entries.ts'
import { PlanGraphView } from './plan-graph-view.tsx'
import { itemsOf } from './plan-items.ts'
import { PlanList, useOpenRows } from './plan-list.tsx'
import type { Beside } from './plan-row.tsx'
import { filterEntries, isFiltered, type PlanPatch, type PlanSearch } from './plan-search.ts'
import type { Plan } from './plan.ts'
import { countOf, readsUpTo, totalOf, useWholePlan, type WholeQuery } from './use-whole-plan.ts'

/** A plan of so many changes starts with its rows open, and has no filters. */
const shortUpTo = 12

export type PlanViewProps = {
  first: Plan
  place: RunPlace
  /** Another one means that the changes are loaded again. */
  version: string
  /** The run, as a title and as the name of a file. */
  title: string
  fileName: string
  search: PlanSearch
  onSearch: (patch: PlanPatch) => void
  /** What else is known of a resource. The same function as long as the run is the same. */
  beside?: Beside
}

/** A plan. A long plan is loaded in pages, so the counts come from its overview. */
export function PlanView(props: PlanViewProps) {
  const { first, place, version, title, fileName, search, onSearch } = props
  const query = useInfiniteQuery(planQuery(place, version, first))
  const { pages } = query.data
  const { overview } = first
  const total = totalOf(overview)
  const isLong = total > shortUpTo
  const [touched, setTouched] = useState(false)
  const { narrowed, read, readsOn, readAll } = useReading(query, search, touched)
  const { open, setAll, turn } = useOpenRows(!isLong)
  const entries = useMemo(() => entriesOf(pages), [pages])
  const shown = useDeferredValue(search)
  const found = useMemo(() => filterEntries(entries, shown), [entries, shown])
  if (total === 0) return <p className="dim">No changes: the infrastructure matches the files.</p>
  return (
    <div className="plan">
      <ActionChips {...{ search, onSearch, overview }} />
      {(isLong || isFiltered(search)) && (
        <PlanFilters
          {...{ search, onSearch, entries }}
          found={foundIn({ found: found.length, read, total })}
          onTouch={() => setTouched(true)}
        />
      )}
      <PlanActions {...{ query, overview, title, fileName, search, onSearch }} onAll={setAll} />
      {overview.omittedChanges > 0 && (
        <p className="note warn">
          {plural(overview.omittedChanges, 'more change')} not shown. Deletions and replacements are
          shown first, and the log lists all changes.
        </p>
      )}
      {narrowed && query.hasNextPage && <Reading {...{ read, total, readsOn, readAll }} />}
      {search.view === 'graph' ? (
        <PlanGraphView
          entries={found}
          onOpen={(block) => onSearch({ view: undefined, find: block })}
        />
      ) : (
        <Listed
          {...{ entries: found, overview, search: shown, open, beside: props.beside }}
          onTurn={turn}
        />
      )}
      {/* Its button is also the way on after a failure. */}
      {(!narrowed || query.isFetchNextPageError) && <LoadMore query={query} />}
    </div>
  )
}

/** Filters, groups by module and the graph speak of the whole plan, so they read it. */
function useReading(query: WholeQuery, search: PlanSearch, touched: boolean) {
  const [asked, setAsked] = useState(false)
  const narrowed = isFiltered(search) || search.by === 'module' || search.view === 'graph'
  const read = countOf(query.data.pages)
  const readsOn = asked || read < readsUpTo
  useWholePlan(query, (narrowed || touched) && readsOn)
  return { narrowed, read, readsOn, readAll: () => setAsked(true) }
}

type ReadingProps = { read: number; total: number; readsOn: boolean; readAll: () => void }

function Reading({ read, total, readsOn, readAll }: ReadingProps) {
  const counts = `${read.toLocaleString()} of ${total.toLocaleString()} changes`
  return readsOn ? (
    <p className="loading" role="status">
      Loading, {counts} read…
    </p>
  ) : (
    <p className="note quiet">
      This looks at the first {counts}. <Button onClick={readAll}>Read all changes</Button>
    </p>
  )
}

type ListedProps = Omit<React.ComponentProps<typeof PlanList>, 'items'> &
  Parameters<typeof itemsOf>[0]

function Listed({ entries, overview, search, ...list }: ListedProps) {
  const items = useMemo(() => itemsOf({ entries, overview, search }), [entries, overview, search])
  return items.length === 0 ? (
    <p className="dim pad">No change matches the filters.</p>
  ) : (
    <PlanList items={items} {...list} />
  )
}

type Found = { found: number; read: number; total: number }

const foundIn = ({ found, read, total }: Found): string =>
  `${found === 0 ? 'none' : found.toLocaleString()} found${read < total ? ` in ${read.toLocaleString()} of ${total.toLocaleString()} changes` : ''}`
