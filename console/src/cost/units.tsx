import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { scopeInWords } from './cost-words.ts'
import { CostTabs } from './cost-tabs.tsx'
import { money } from './money.ts'
import { unitsQuery, type ListedUnit } from './queries.ts'
import { SmallLine } from './small-line.tsx'
import { UnitForm } from './unit-form.tsx'
import { daysInWords, isMeasured, totalInWords } from './unit-words.ts'
import './cost.css'

/** What the organization's cost is divided by, with what one of each cost in the last 30 days. */
export function UnitsPage() {
  const { may } = useMe()
  const query = useInfiniteQuery(unitsQuery)
  const [creates, setCreates] = useState(false)
  const count = query.data?.pages.reduce((sum, { units }) => sum + units.length, 0) ?? 0
  const create = may('mutate_infra') && (
    <Button tone="primary" onClick={() => setCreates(true)}>
      New unit
    </Button>
  )
  return (
    <>
      <PageHead title="Cost" tabTitle="Units" actions={count > 0 && create} />
      <CostTabs />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="units" />}
      {query.isSuccess && count === 0 && (
        <Empty title="No units yet">
          <p>
            A unit is what you count, such as orders or users. With the number of each day it shows
            what one of them costs. Numbers come by the API, or are pasted on the page of the unit.
          </p>
          {create || <p>A person with the role Deployer or higher creates the first one.</p>}
        </Empty>
      )}
      <PagedRows pages={query.data?.pages}>
        {({ units, currency }) =>
          units.map((unit) => <UnitRow key={unit.id} unit={unit} currency={currency} />)
        }
      </PagedRows>
      <LoadMore query={query} />
      {creates && <UnitForm onClose={() => setCreates(false)} />}
    </>
  )
}

function UnitRow({ unit, currency }: { unit: ListedUnit; currency: string }) {
  const { id, name, last30Days } = unit
  const { byDay, unconverted } = last30Days
  return (
    <li>
      <Link to="/cost/units/$id" params={{ id }} className="row">
        <span className="row-main">
          <strong className="row-title">{name}</strong>
          <span className="row-sub">{scopeInWords(unit)}</span>
          {unconverted.length > 0 && (
            <span className="row-sub">
              Not in its figure, because there is no exchange rate:{' '}
              {unconverted.map(({ currency: other, amount }) => money(amount, other)).join(', ')}
            </span>
          )}
        </span>
        <SmallLine values={byDay} />
        <span className="unit-figure">
          <strong className="num">{totalInWords(last30Days, { ...unit, currency })}</strong>
          <span className="row-sub">
            {isMeasured(unit) ? `${daysInWords(last30Days)}, last 30 days` : 'last 30 days'}
          </span>
        </span>
      </Link>
    </li>
  )
}
