import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { matchLines } from './match-lines.ts'
import type { PriceStart } from './price-form.tsx'
import { unpricedQuery, type Unpriced } from './queries.ts'
import { ratesHash } from './rates-hash.ts'

const whyWords: Record<Unpriced['because'], string> = {
  size_not_confirmed: 'No apply has confirmed what they are like yet.',
  no_exchange_rate: 'The bill is in another currency, and there is no exchange rate.',
  too_few_days: 'They are on the bills for too few days.',
  no_cost: 'The bills have no cost of them.',
  no_stable_price: 'They differ from each other or from week to week, as what is paid by use does.',
  too_few_resources: 'There are too few of them.',
}

/** Resources on the bills for which no price could be learned, and why. */
export function UnpricedResources({ onPrice }: { onPrice?: (start: PriceStart) => void }) {
  const query = useInfiniteQuery(unpricedQuery)
  const rows = query.data?.pages.flatMap((page) => page.unpriced) ?? []
  if (rows.length === 0) return <ErrorNote error={query.error} goesOn />
  return (
    <section className="section">
      <h2>On the bills, without a price</h2>
      <ErrorNote error={query.error} goesOn />
      <DataTable
        label="Resources without a price"
        rows={rows}
        columns={[
          {
            title: 'Resource',
            render: ({ resourceType, match }) => (
              <>
                <code>{resourceType}</code>
                {Object.keys(match).length > 0 && (
                  <code className="row-sub detail">{matchLines(match)}</code>
                )}
              </>
            ),
          },
          { title: 'Provider', render: ({ provider }) => <code>{provider}</code> },
          { title: 'Region', look: 'dim', render: ({ region }) => region ?? 'all' },
          {
            title: 'Why',
            render: ({ because }) => (
              <>
                {whyWords[because]}
                {because === 'no_exchange_rate' && (
                  <>
                    {' '}
                    <Link to="/cost/bills" hash={ratesHash}>
                      Exchange rates
                    </Link>
                  </>
                )}
              </>
            ),
          },
          onPrice !== undefined && {
            title: 'Actions',
            look: 'actions',
            render: ({ provider, resourceType, match }) => (
              <Button
                aria-label={`Set a price of ${resourceType}`}
                onClick={() => onPrice({ provider, resourceType, match })}
              >
                Set a price…
              </Button>
            ),
          },
        ]}
      />
      <LoadMore query={query} />
    </section>
  )
}
