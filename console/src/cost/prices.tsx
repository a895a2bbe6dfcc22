import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { CostTabs } from './cost-tabs.tsx'
import { ImportPrices } from './import-prices.tsx'
import { matchLines } from './match-lines.ts'
import { unitMoney } from './money.ts'
import { PriceForm, type PriceStart } from './price-form.tsx'
import { pricesQuery, type Price } from './queries.ts'
import { UnpricedResources } from './unpriced-resources.tsx'
import './cost.css'

/** The price book: what a resource costs a month, for the estimate and the cost limit of each plan. */
export function PricesPage() {
  const mayEdit = useMe().may('manage_cloud_accounts')
  const query = useInfiniteQuery(pricesQuery)
  const [edited, setEdited] = useState<{ price?: Price; start?: PriceStart }>()
  const [importing, setImporting] = useState(false)
  const [told, setTold] = useState('')
  const prices = query.data?.pages.flatMap((page) => page.prices) ?? []
  const actions = mayEdit && (
    <>
      <Button onClick={() => setImporting(true)}>Import CSV…</Button>
      <Button tone="primary" onClick={() => setEdited({})}>
        New price
      </Button>
    </>
  )
  return (
    <>
      <PageHead title="Cost" tabTitle="Prices" actions={actions} />
      <CostTabs />
      <p className="dim" role="status">
        {told}
      </p>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="prices" />}
      {query.isSuccess && prices.length === 0 && <NoPrices />}
      <PriceTable
        prices={prices}
        {...(mayEdit && { onEdit: (price: Price) => setEdited({ price }) })}
      />
      <LoadMore query={query} byHand />
      <UnpricedResources {...(mayEdit && { onPrice: (start) => setEdited({ start }) })} />
      {edited && (
        <PriceForm price={edited.price} start={edited.start} onClose={() => setEdited(undefined)} />
      )}
      {importing && <ImportPrices onDone={setTold} onClose={() => setImporting(false)} />}
    </>
  )
}

const NoPrices = () => (
  <Empty title="No prices yet">
    <p>
      Prices are learned from bills, and a person with the role SRE · Cloud Admin or higher can add
      them. Without a price, the cost of a resource is unknown.
    </p>
  </Empty>
)

type TableProps = { prices: readonly Price[]; onEdit?: (price: Price) => void }

function PriceTable({ prices, onEdit }: TableProps) {
  return (
    <DataTable
      label="Prices"
      rows={prices}
      columns={[
        {
          title: 'Resource',
          render: ({ resourceType, match, enabled }) => (
            <>
              <code>{resourceType}</code>
              {!enabled && <span className="tag">switched off</span>}
              {Object.keys(match).length > 0 && (
                <code className="row-sub detail">{matchLines(match)}</code>
              )}
            </>
          ),
        },
        { title: 'Provider', render: ({ provider }) => <code>{provider}</code> },
        {
          title: 'A month',
          render: ({ monthlyPrice, currency }) => (
            <span className="num">{unitMoney(monthlyPrice, currency)}</span>
          ),
        },
        { title: 'Valid from', look: 'dim', render: ({ validFrom }) => validFrom },
        { title: 'From', look: 'dim', render: sourceWords },
        onEdit !== undefined && {
          title: 'Actions',
          look: 'actions',
          render: (price) => <Acts price={price} onEdit={() => onEdit(price)} />,
        },
      ]}
    />
  )
}

function sourceWords({ source, learned }: Price): React.ReactNode {
  if (!learned) return source === 'manual' ? 'a person' : <bdi>{source}</bdi>
  const { sampleSize, region } = learned
  return `bills: ${sampleSize.toLocaleString('en')} ${sampleSize === 1 ? 'resource' : 'resources'}${region === null ? '' : `, ${region}`}`
}

function Acts({ price, onEdit }: { price: Price; onEdit: () => void }) {
  const { id, resourceType, enabled, learned } = price
  return (
    <>
      <Button aria-label={`Change the price of ${resourceType}`} onClick={onEdit}>
        Change
      </Button>
      <ConfirmButton
        label={enabled ? 'Switch off…' : 'Switch on…'}
        name={`${enabled ? 'Switch off' : 'Switch on'} the price of ${resourceType}`}
        title={`${enabled ? 'Switch off' : 'Switch on'} the price of ${resourceType}?`}
        act={enabled ? 'Switch off' : 'Switch on'}
        run={() => call('updatePrice', { params: { id }, body: { enabled: !enabled } })}
        refresh={['cost', 'prices']}
      >
        {enabled
          ? 'It is kept, and counts for no plan.'
          : 'It counts for plans again that are made from now on.'}
      </ConfirmButton>
      {!learned && (
        <ConfirmButton
          label="Delete…"
          name={`Delete the price of ${resourceType}`}
          tone="danger"
          title={`Delete the price of ${resourceType}?`}
          act="Delete price"
          run={() => call('deletePrice', { params: { id } })}
          refresh={['cost', 'prices']}
        >
          Plans that need it have an unknown cost, unless another price fits. A workspace with a
          cost limit may deny them.
        </ConfirmButton>
      )}
    </>
  )
}
