import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { RowDetails } from '../parts/row-details.tsx'
import { Time } from '../parts/time.tsx'
import { placeState, syncState, triggerWords } from './cloud-words.ts'
import { cloudSyncQuery, cloudSyncsQuery, type CloudPlace, type CloudSync } from './queries.ts'

/** The syncs of an account, newest first, and the places of the one that is open. */
export function Syncs({ accountId }: { accountId: number }) {
  const query = useInfiniteQuery(cloudSyncsQuery(accountId))
  const [open, setOpen] = useState<number>()
  const syncs = query.data?.pages.flatMap((page) => page.syncs) ?? []
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="syncs" />}
      {query.isSuccess && syncs.length === 0 && <p className="dim">No sync yet.</p>}
      <DataTable
        label="Syncs"
        rows={syncs}
        columns={[
          ...columns,
          {
            title: 'Actions',
            look: 'actions',
            render: ({ id, startedAt }) => (
              <Button
                aria-expanded={open === id}
                aria-label={`Places of the sync of ${startedAt}`}
                onClick={() => setOpen(open === id ? undefined : id)}
              >
                Places
              </Button>
            ),
          },
        ]}
        below={({ id, startedAt }) =>
          id === open && <Places accountId={accountId} syncId={id} startedAt={startedAt} />
        }
      />
      <LoadMore query={query} byHand />
    </>
  )
}

const columns: ReadonlyArray<Column<CloudSync>> = [
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
    render: ({ state, reason }) => (
      <>
        <span className={`badge ${syncState[state].tone}`}>{syncState[state].words}</span>
        {reason && <span className="row-sub">{reason}</span>}
      </>
    ),
  },
  { title: 'Seen', render: ({ seen }) => seen },
  {
    title: 'Changes',
    render: ({ added, changed, gone }) => `${added} new, ${changed} changed, ${gone} gone`,
  },
]

type PlacesProps = { accountId: number; syncId: number; startedAt: string }

function Places({ accountId, syncId, startedAt }: PlacesProps) {
  const query = useQuery(cloudSyncQuery(accountId, syncId))
  const places = query.data?.sync.places ?? []
  return (
    <RowDetails
      title={
        <>
          Places of the sync of <Time at={startedAt} />
        </>
      }
    >
      <ErrorNote error={query.error} />
      {query.isPending && <Loading what="places" />}
      {query.isSuccess && places.length === 0 && <p className="dim">No place was looked at.</p>}
      <DataTable
        label="Places"
        rows={places.map((place) => ({ id: `${place.service} ${place.region}`, ...place }))}
        columns={placeColumns}
      />
    </RowDetails>
  )
}

const placeColumns: ReadonlyArray<Column<CloudPlace & { id: string }>> = [
  { title: 'Region', render: ({ region }) => region || 'the whole account' },
  { title: 'Service', render: ({ service }) => service || 'all' },
  {
    title: 'State',
    render: ({ state, reason }) => (
      <>
        <span className={`badge ${placeState[state].tone}`}>{placeState[state].words}</span>
        {reason && <span className="row-sub">{reason}</span>}
      </>
    ),
  },
  { title: 'Resources', render: ({ seen }) => seen },
]
