import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { anomalyStates, type AnomalySearch } from '../app/searches.ts'
import { DataTable } from '../parts/data-table.tsx'
import { foundWords } from '../parts/filter-box.tsx'
import { FilterForm } from '../parts/filter-form.tsx'
import { Field, Select, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { anomalyColumns } from './anomaly-columns.tsx'
import { anomalyStateWords } from './anomaly-words.ts'
import { CostTabs } from './cost-tabs.tsx'
import { anomaliesQuery } from './queries.ts'
import './cost.css'

const route = getRouteApi('/app/cost/anomalies')

/** The anomalies of the organization, newest first. The filters are in the address. */
export function AnomaliesPage() {
  const search = route.useSearch()
  const query = useInfiniteQuery(anomaliesQuery(search))
  const anomalies = query.data?.pages.flatMap((page) => page.anomalies) ?? []
  const settled = query.isSuccess && !query.isPlaceholderData
  return (
    <>
      <PageHead title="Cost" tabTitle="Anomalies" />
      <CostTabs />
      <AnomalyFilter
        search={search}
        found={settled ? foundWords(anomalies.length, query.hasNextPage) : ''}
      />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="anomalies" />}
      {query.isSuccess && anomalies.length === 0 && (
        <Empty title={Object.keys(search).length > 0 ? 'Nothing matches' : 'No open anomalies'}>
          <p>
            Each bill is compared with what its service cost on the days before. A service needs 14
            days of cost first. What costs clearly more is listed here.
          </p>
        </Empty>
      )}
      <DataTable label="Anomalies" rows={anomalies} columns={anomalyColumns} />
      <LoadMore query={query} />
    </>
  )
}

function searchOf(form: FormData): AnomalySearch {
  const state = [...anomalyStates, 'all' as const].find((one) => one === textIn(form, 'state'))
  const next: AnomalySearch = { ...(state && state !== 'open' && { state }) }
  for (const field of ['service', 'provider', 'from', 'to'] as const) {
    const value = textIn(form, field).trim()
    if (value) next[field] = value
  }
  return next
}

function AnomalyFilter({ search, found }: { search: AnomalySearch; found: string }) {
  const navigate = useNavigate()
  return (
    <FilterForm
      search={search}
      read={searchOf}
      onFilter={(next) => void navigate({ to: '/cost/anomalies', search: next })}
      found={found}
    >
      <Select label="State" name="state" defaultValue={search.state ?? 'open'}>
        {anomalyStates.map((state) => (
          <option key={state} value={state}>
            {anomalyStateWords[state].word}
          </option>
        ))}
        <option value="all">All</option>
      </Select>
      <Field
        label="Service"
        name="service"
        maxLength={500}
        defaultValue={search.service}
        placeholder="As in the bill"
      />
      <Field
        label="Cloud"
        name="provider"
        maxLength={200}
        defaultValue={search.provider}
        placeholder="aws"
      />
      <Field label="From" name="from" type="date" defaultValue={search.from} />
      <Field label="To" name="to" type="date" defaultValue={search.to} />
    </FilterForm>
  )
}
