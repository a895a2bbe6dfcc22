import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { useHash } from '../parts/use-hash.ts'
import { monthWords } from './cost-words.ts'
import { ratesQuery, type Rate } from './queries.ts'
import { RateForm } from './rate-form.tsx'
import { ratesHash } from './rates-hash.ts'

/** What money in other currencies is in that of the organization, by month. Each role sees it. */
export function ExchangeRates() {
  const mayEdit = useMe().may('manage_cloud_accounts')
  const query = useInfiniteQuery(ratesQuery)
  const [setting, setSetting] = useState(false)
  const rates = query.data?.pages.flatMap((page) => page.rates) ?? []
  return (
    <section className="section">
      <div className="list-head">
        <Heading isThere={query.isSuccess} />
        {mayEdit && (
          <span className="actions">
            <Button onClick={() => setSetting(true)}>Set a rate…</Button>
          </span>
        )}
      </div>
      <p className="section-text dim">
        A bill in another currency than the organization’s is in no figure until its month has a
        rate.
        {!mayEdit && ' A person with the role SRE · Cloud Admin or higher sets it.'}
      </p>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="exchange rates" />}
      {query.isSuccess && rates.length === 0 && (
        <p className="dim quiet-line">No exchange rate yet.</p>
      )}
      <DataTable label="Exchange rates" rows={rates} columns={[...columns, mayEdit && acts]} />
      <LoadMore query={query} byHand />
      {setting && <RateForm onClose={() => setSetting(false)} />}
    </section>
  )
}

/** Notes about money without a rate lead here. The lists above grow while they load, so it waits for its own. */
function Heading({ isThere }: { isThere: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isAsked = useHash() === ratesHash
  useEffect(() => {
    if (isAsked && isThere) heading.current?.focus()
  }, [isAsked, isThere])
  return (
    <h2 id={ratesHash} ref={heading} tabIndex={-1}>
      Exchange rates
    </h2>
  )
}

const columns: ReadonlyArray<Column<Rate>> = [
  { title: 'Month', render: ({ month }) => monthWords(month) },
  {
    title: 'Rate',
    render: ({ base, quote, rate }) => (
      <span className="num">
        1 {base} = {rate.toLocaleString('en', { maximumSignificantDigits: 15 })} {quote}
      </span>
    ),
  },
  {
    title: 'Set by',
    look: 'dim',
    render: ({ kind }) => (kind === 'ecb' ? 'European Central Bank' : 'a person'),
  },
]

const acts: Column<Rate> = {
  title: 'Actions',
  look: 'actions',
  render: ({ id, base, quote, month }) => (
    <ConfirmButton
      label="Delete…"
      name={`Delete the rate ${base} to ${quote} of ${monthWords(month)}`}
      tone="danger"
      title={`Delete the rate ${base} to ${quote} of ${monthWords(month)}?`}
      act="Delete rate"
      run={async () => call('deleteRate', { params: { id } })}
      refresh={['cost']}
    >
      Money in {base} of {monthWords(month)} is then in no figure, until the month has a rate again.
    </ConfirmButton>
  ),
}
