import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import type { Answer } from '../api/call.ts'
import { CostFilter } from './cost-filter.tsx'
import { CostTabs } from './cost-tabs.tsx'
import { dayWords } from '../parts/day-words.ts'
import { money } from './money.ts'
import { csvAddress, costQuery } from './queries.ts'
import { UnconvertedNote } from './unconverted-note.tsx'
import { UnmanagedGroups } from './unmanaged-groups.tsx'
import { UnmanagedResources } from './unmanaged-resources.tsx'
import { unmanagedShare } from './unmanaged-share.ts'
import { Untagged } from './untagged.tsx'
import './cost.css'

const route = getRouteApi('/app/cost/unmanaged')

/** What is paid for and no workspace holds, and what has no tag. All that is chosen is in the address. */
export function UnmanagedPage() {
  const {
    owner: _owner,
    workspaceId: _workspaceId,
    groupBy: _groupBy,
    ...search
  } = route.useSearch()
  const payload = useQuery(costQuery(search))
  const isEmpty = payload.data?.empty === true
  const total = payload.data?.byOwner?.unmanaged
  return (
    <>
      <PageHead
        title="Cost"
        tabTitle="Unmanaged"
        actions={
          total !== undefined && (
            <a className="button" href={csvAddress({ ...search, owner: 'unmanaged' })} download>
              Download CSV
            </a>
          )
        }
      />
      <CostTabs />
      <ErrorNote error={payload.error} goesOn />
      {/* Also without an answer: a date that is refused is corrected here. */}
      {!isEmpty && <CostFilter search={search} window={payload.data ?? {}} to="/cost/unmanaged" />}
      {payload.isPending && <Loading what="the cost" />}
      {isEmpty && (
        <Empty title="No cost yet">
          <p>
            Once bills are loaded, this page lists the cost of resources that no workspace holds,
            with the blocks to import them.
          </p>
        </Empty>
      )}
      {payload.data && total !== undefined && (
        <>
          <Figures payload={payload.data} />
          <UnmanagedGroups search={search} />
          <Untagged search={search} tagKey={payload.data.tagKey ?? null} />
          <UnmanagedResources search={search} cost={payload.data} />
        </>
      )}
    </>
  )
}

type Payload = Answer<'getCost'>

function Figures({ payload }: { payload: Payload }) {
  const { currency = '', from = '', to = '', byOwner, unconverted = [] } = payload
  const { unmanaged = 0, unattributed = 0 } = byOwner ?? {}
  return (
    <>
      <dl className="stats">
        <div className="stat">
          <dt>
            no workspace holds it, {dayWords(from)} to {dayWords(to)}
          </dt>
          <dd className="num">{money(unmanaged, currency)}</dd>
        </div>
        <div className="stat">
          <dt>of the cost of resources</dt>
          <dd className="num">{unmanagedShare(payload)}</dd>
        </div>
        <div className="stat">
          <dt>has no resource, such as support and tax</dt>
          <dd className="num">{money(unattributed, currency)}</dd>
        </div>
      </dl>
      <UnconvertedNote unconverted={unconverted} />
    </>
  )
}
