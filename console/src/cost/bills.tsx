import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { RowDetails } from '../parts/row-details.tsx'
import { Time } from '../parts/time.tsx'
import { BillSlices } from './bill-slices.tsx'
import { idOfSource, ingestStateWords, triggerWords } from './cost-words.ts'
import { CostTabs } from './cost-tabs.tsx'
import { ExchangeRates } from './exchange-rates.tsx'
import {
  billSourcesQuery,
  ingestQuery,
  ingestsQuery,
  type BillSource,
  type Ingest,
} from './queries.ts'
import { sourceColumns } from './source-columns.tsx'
import { UploadBill } from './upload-bill.tsx'
import './cost.css'

/** Where bills come from, at which rates they are shown, and what became of each look at them. */
export function BillsPage() {
  const { may } = useMe()
  const [uploading, setUploading] = useState(false)
  const actions = may('manage_cloud_accounts') && (
    <>
      <LookNow />
      <Button tone="primary" onClick={() => setUploading(true)}>
        Upload a bill…
      </Button>
    </>
  )
  return (
    <>
      <PageHead title="Cost" tabTitle="Bills" actions={actions} />
      <CostTabs />
      <Sources />
      <ExchangeRates />
      <Ingests />
      {uploading && <UploadBill onClose={() => setUploading(false)} />}
    </>
  )
}

/** The answer waits for the bills, so the button is busy while they are read. */
function LookNow() {
  const queryClient = useQueryClient()
  const look = useMutation({
    mutationFn: async () => call('ingestBills', { body: {} }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['cost'] }),
  })
  return (
    <>
      <ErrorNote error={look.error} />
      <Button busy={look.isPending} onClick={() => look.mutate()}>
        {look.isPending ? 'Reading bills…' : 'Read the bills now'}
      </Button>
    </>
  )
}

function Sources() {
  const { may } = useMe()
  const query = useInfiniteQuery(billSourcesQuery)
  const sources = query.data?.pages.flatMap((page) => page.sources) ?? []
  return (
    <section className="section">
      <h2>Sources</h2>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="sources" />}
      {query.isSuccess && sources.length === 0 && (
        <Empty title="No bills yet">
          <p>
            Bills of a cloud account are read once the account’s billing settings are set. A bill in
            FOCUS form, from any provider, can be uploaded.
          </p>
        </Empty>
      )}
      <DataTable
        label="Sources"
        rows={sources}
        columns={ownColumns(may('manage_cloud_accounts'))}
      />
      <LoadMore query={query} byHand />
    </section>
  )
}

const ownColumns = (mayDelete: boolean): ReadonlyArray<Column<BillSource> | false> => [
  ...sourceColumns,
  mayDelete && {
    title: 'Actions',
    look: 'actions',
    render: ({ id, accountId, name }) =>
      accountId === null && (
        <ConfirmButton
          label="Delete…"
          name={`Delete ${name}`}
          tone="danger"
          title={`Delete ${name} with its cost?`}
          act="Delete"
          run={async () => call('deleteBillSource', { params: { id } })}
          refresh={['cost']}
        >
          All cost that was uploaded as {name} is deleted. This cannot be undone.
        </ConfirmButton>
      ),
  },
]

function Ingests() {
  const query = useInfiniteQuery(ingestsQuery)
  const [open, setOpen] = useState<number>()
  const ingests = query.data?.pages.flatMap((page) => page.ingests) ?? []
  return (
    <section className="section">
      <h2>Ingests</h2>
      <ErrorNote error={query.error} goesOn />
      {query.isSuccess && ingests.length === 0 && <p className="dim quiet-line">No ingest yet.</p>}
      <DataTable
        label="Ingests"
        rows={ingests}
        columns={[
          ...ingestColumns,
          {
            title: 'Actions',
            look: 'actions',
            render: ({ id, startedAt }) => (
              <Button
                aria-expanded={open === id}
                aria-label={`Bills of the ingest of ${startedAt}`}
                onClick={() => setOpen(open === id ? undefined : id)}
              >
                Bills
              </Button>
            ),
          },
        ]}
        below={({ id, startedAt }) => id === open && <OneIngest id={id} startedAt={startedAt} />}
      />
      <LoadMore query={query} byHand />
    </section>
  )
}

const ingestColumns: ReadonlyArray<Column<Ingest>> = [
  {
    title: 'Began',
    render: ({ startedAt, trigger }) => (
      <>
        <Time at={startedAt} />
        <span className="row-sub">{triggerWords[trigger]}</span>
      </>
    ),
  },
  {
    title: 'State',
    render: ({ state }) => {
      const { tone, sign, word } = ingestStateWords[state]
      return (
        <span className={`badge ${tone}`}>
          <span aria-hidden="true">{sign}</span>
          {word}
        </span>
      )
    },
  },
  {
    title: 'Rows read',
    render: ({ rowsRead }) => <span className="num">{rowsRead.toLocaleString('en')}</span>,
  },
  {
    title: 'New or changed days',
    render: ({ recordsUpserted, recordsRejected }) => (
      <>
        <span className="num">{recordsUpserted.toLocaleString('en')}</span>
        {recordsRejected > 0 && (
          <span className="tag bad">{recordsRejected.toLocaleString('en')} not readable</span>
        )}
      </>
    ),
  },
]

function OneIngest({ id, startedAt }: Pick<Ingest, 'id' | 'startedAt'>) {
  const query = useInfiniteQuery(ingestQuery(id))
  const pages = query.data?.pages ?? []
  return (
    <RowDetails
      title={
        <>
          Bills of the ingest of <Time at={startedAt} />
        </>
      }
    >
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="its bills" />}
      {/* A page may begin with the rest of the account that the one before ends with. */}
      {pages.map(({ ingest }, at) =>
        ingest.accounts.map((account) => (
          <BillSlices key={`${at} ${idOfSource(account)}`} account={account} />
        )),
      )}
      <LoadMore query={query} byHand />
    </RowDetails>
  )
}
