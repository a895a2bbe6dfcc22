import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { ChannelDialog } from './channel-dialog.tsx'
import {
  eventsInWords,
  kindWords,
  scopeInWords,
  stateWords,
  targetInWords,
  triedWords,
} from './notification-words.ts'
import { notificationsQuery, type Channel } from './queries.ts'
import { RotateSecret } from './rotate-secret.tsx'

/** The channels that are told of events, and how each of them works. */
export function NotificationsPage() {
  const { may } = useMe()
  const query = useInfiniteQuery(notificationsQuery)
  const [edited, setEdited] = useState<Channel | 'new'>()
  const channels = query.data?.pages.flatMap((page) => page.notifications) ?? []
  const add = may('manage_cloud_accounts') && (
    <Button tone="primary" onClick={() => setEdited('new')}>
      Add a channel
    </Button>
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="channels" />}
      {query.isSuccess && channels.length === 0 && (
        <Empty title="No notifications yet">
          <p>
            A notification reports anomalies, budgets, late bills and cloud accounts that stopped
            working: by email, in Slack or Teams, or as a webhook.
          </p>
          {add || <p>A person with the role SRE · Cloud Admin or higher adds one.</p>}
        </Empty>
      )}
      {channels.length > 0 && (
        <div className="list-head">
          <p className="dim">Where notifications of this organization are sent.</p>
          {add}
        </div>
      )}
      <Channels channels={channels} onChange={setEdited} />
      <LoadMore query={query} />
      {edited && (
        <ChannelDialog
          channel={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

type ChannelsProps = { channels: readonly Channel[]; onChange: (channel: Channel) => void }

function Channels({ channels, onChange }: ChannelsProps) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const refresh = async () => queryClient.invalidateQueries({ queryKey: ['notifications'] })
  const test = useMutation({
    mutationFn: ({ id }: Channel) => call('testNotification', { params: { id } }),
    onSettled: refresh,
  })
  const pause = useMutation({
    mutationFn: ({ id, enabled }: Channel) =>
      call('updateNotification', { params: { id }, body: { enabled: !enabled } }),
    onSettled: refresh,
  })
  const busy = (doing: typeof test | typeof pause, id: number) =>
    doing.isPending && doing.variables.id === id
  const actions = may('manage_cloud_accounts') && {
    title: 'Actions',
    look: 'actions' as const,
    render: (channel: Channel) => (
      <>
        <Button
          aria-label={`Test ${channel.name}`}
          busy={busy(test, channel.id)}
          onClick={() => test.mutate(channel)}
        >
          {busy(test, channel.id) ? 'Testing…' : 'Test'}
        </Button>
        <Button
          aria-label={`${channel.enabled ? 'Pause' : 'Resume'} ${channel.name}`}
          busy={busy(pause, channel.id)}
          onClick={() => pause.mutate(channel)}
        >
          {channel.enabled ? 'Pause' : 'Resume'}
        </Button>
        <Button aria-label={`Change ${channel.name}`} onClick={() => onChange(channel)}>
          Change…
        </Button>
        {channel.kind === 'webhook' && <RotateSecret channel={channel} />}
        <DeleteChannel channel={channel} />
      </>
    ),
  }
  return (
    <>
      <ErrorNote error={test.error ?? pause.error} />
      <div role="status">
        {test.data && test.variables && (
          <p className={`note ${triedWords(test.data.delivery).tone}`}>
            {test.variables.name}: {triedWords(test.data.delivery).words}
          </p>
        )}
      </div>
      <DataTable label="Channels" rows={channels} columns={[...columns, actions]} />
    </>
  )
}

function DeleteChannel({ channel: { id, name } }: { channel: Channel }) {
  return (
    <ConfirmButton
      label="Delete…"
      name={`Delete ${name}`}
      tone="danger"
      title={`Delete ${name}?`}
      act="Delete channel"
      run={async () => call('deleteNotification', { params: { id } })}
      refresh={['notifications']}
    >
      Its address and its secret are deleted, and what still waits is not sent. This cannot be
      undone.
    </ConfirmButton>
  )
}

const columns: ReadonlyArray<Column<Channel>> = [
  {
    title: 'Channel',
    render: (channel) => (
      <>
        {channel.name} <span className="tag">{kindWords[channel.kind].word}</span>
        <span className="row-sub">{targetInWords(channel)}</span>
      </>
    ),
  },
  {
    title: 'Events',
    render: (channel) => (
      <>
        {eventsInWords(channel)}
        {scopeInWords(channel) && <span className="row-sub">{scopeInWords(channel)}</span>}
        {channel.minimumImpact !== null && (
          <span className="row-sub">
            from {channel.minimumImpact.toLocaleString('en')} above the expected cost
          </span>
        )}
        {channel.digest === 'daily' && (
          <span className="row-sub">urgent ones at once, the others in one mail a day</span>
        )}
      </>
    ),
  },
  { title: 'State', render: (channel) => <ChannelState channel={channel} /> },
  {
    title: 'Last sent',
    look: 'dim',
    render: ({ lastSentAt }) => (lastSentAt ? <Time at={lastSentAt} /> : 'never'),
  },
]

function ChannelState({ channel }: { channel: Channel }) {
  const { tone, sign, word } = stateWords(channel)
  const { failingSince, lastError } = channel
  return (
    <>
      <span className={`badge ${tone}`}>
        <span aria-hidden="true">{sign}</span>
        {word}
      </span>
      {failingSince !== null && (
        <span className="row-sub">
          since <Time at={failingSince} />
        </span>
      )}
      {lastError !== null && <span className="row-sub">{lastError}</span>}
    </>
  )
}
