import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { CommitmentSearch } from '../app/searches.ts'
import { DataTable } from '../parts/data-table.tsx'
import { DayField } from '../parts/day-field.tsx'
import { Select } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { commitmentColumns } from './commitment-columns.tsx'
import { commitmentOrderWords, leastUsed, shareWords } from './commitment-words.ts'
import { CostTabs } from './cost-tabs.tsx'
import { dayWords } from '../parts/day-words.ts'
import { nameOfGroup } from './cost-words.ts'
import { money } from './money.ts'
import { PeriodField } from './period-field.tsx'
import { commitmentsQuery, type Commitments } from './queries.ts'
import { UnconvertedNote } from './unconverted-note.tsx'
import { withDays } from './with-days.ts'
import './cost.css'

const route = getRouteApi('/app/cost/commitments')

/** What is paid for reservations, savings plans and committed use, and how much of it is used. */
export function CommitmentsPage() {
  const search = route.useSearch()
  const { data, error, isPending } = useQuery(commitmentsQuery(search))
  return (
    <>
      <PageHead title="Cost" tabTitle="Commitments" />
      <CostTabs />
      <ErrorNote error={error} goesOn />
      <Filter search={search} found={data} />
      {isPending && <Loading what="commitments" />}
      {data && data.commitments.length === 0 && <NoCommitments search={search} found={data} />}
      {data && data.commitments.length > 0 && <Found found={data} />}
    </>
  )
}

type FilterProps = { search: CommitmentSearch; found: Commitments | undefined }

function Filter({ search, found }: FilterProps) {
  const navigate = useNavigate()
  const show = (changed: CommitmentSearch) =>
    void navigate({ to: '/cost/commitments', search: changed })
  const { provider, sort = 'unused', ...days } = search
  const providers = [...new Set([...(found?.providers ?? []), ...(provider ? [provider] : [])])]
  return (
    <form className="cost-filter" onSubmit={(event) => event.preventDefault()}>
      <PeriodField search={search} onShow={show} />
      <DayField
        label="From"
        value={search.from ?? found?.from}
        onDay={(from) => show(withDays(search, { from }))}
      />
      <DayField
        label="To"
        value={search.to ?? found?.to}
        onDay={(to) => show(withDays(search, { to }))}
      />
      <Select
        label="Cloud"
        value={provider ?? ''}
        onChange={({ target: { value } }) =>
          show({
            ...days,
            ...(search.sort && { sort: search.sort }),
            ...(value && { provider: value }),
          })
        }
      >
        <option value="">All</option>
        {providers.map((one) => (
          <option key={one} value={one}>
            {nameOfGroup('provider', one)}
          </option>
        ))}
      </Select>
      <Select
        label="Order"
        value={sort}
        onChange={({ target: { value } }) => {
          const { sort: _sort, ...rest } = search
          show(value === 'amortised' ? { ...rest, sort: value } : rest)
        }}
      >
        {Object.entries(commitmentOrderWords).map(([order, words]) => (
          <option key={order} value={order}>
            {words}
          </option>
        ))}
      </Select>
    </form>
  )
}

type NoneProps = { search: CommitmentSearch; found: Commitments }

function NoCommitments({ search, found: { from, to, providers, unconverted } }: NoneProps) {
  const { provider, ...rest } = search
  if (unconverted.length > 0) return <UnconvertedNote unconverted={unconverted} />
  if (provider !== undefined && providers.length > 0)
    return (
      <Empty title={`No commitments of ${nameOfGroup('provider', provider)} in this period`}>
        <Link to="/cost/commitments" search={rest} className="button">
          Show those of all clouds
        </Link>
      </Empty>
    )
  return (
    <Empty title="No commitments in this period">
      <p>
        A commitment is a reservation, a savings plan or committed use: you pay for an amount of use
        ahead, at a lower price, whether it is used or not.
      </p>
      <p>
        None is shown where no bill from {dayWords(from)} to {dayWords(to)} is loaded, where none of
        its usage has a CommitmentDiscountId, or where nothing was committed to.
      </p>
      <Link to="/cost/bills" className="button">
        See which bills are loaded
      </Link>
    </Empty>
  )
}

function Found({ found }: { found: Commitments }) {
  const { commitments, currency, total, unconverted } = found
  const rows = commitments.map((one) => ({
    ...one,
    commitmentId: one.id,
    id: `${one.provider} ${one.id}`,
  }))
  return (
    <>
      <Totals found={found} />
      <UnconvertedNote unconverted={unconverted} />
      <p className="section-text dim">
        The mark in each bar is at {leastUsed * 100} %. A commitment that stays under it for three
        days is announced once.{' '}
        {total.commitments > commitments.length &&
          `The first ${commitments.length.toLocaleString('en')} of ${total.commitments.toLocaleString('en')} are shown; the sums are those of all.`}
      </p>
      <DataTable label="Commitments" rows={rows} columns={commitmentColumns(currency)} />
    </>
  )
}

function Totals({ found: { total, currency, from, to } }: { found: Commitments }) {
  const { amortised, used, unused, utilization, savings, commitments, withoutSavings } = total
  return (
    <dl className="stats">
      <div className="stat">
        <dt>
          paid, {dayWords(from)} to {dayWords(to)}
        </dt>
        <dd className="num">{money(amortised, currency)}</dd>
      </div>
      <div className="stat">
        <dt>used</dt>
        <dd className="num">
          {money(used, currency)}
          {utilization !== null && <span className="cost-change">{shareWords(utilization)}</span>}
        </dd>
      </div>
      <div className="stat">
        <dt>unused</dt>
        <dd className="num">{money(unused, currency)}</dd>
      </div>
      <div className="stat">
        <dt>
          saved against the price without them
          {withoutSavings > 0 &&
            savings !== null &&
            `, of ${commitments - withoutSavings} of ${commitments}`}
        </dt>
        <dd className="num">{savings === null ? 'unknown' : money(savings, currency)}</dd>
      </div>
    </dl>
  )
}
