import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { useStartKey } from '../runs/start-key.ts'
import { AccountBills } from './account-bills.tsx'
import { ChangeAccount } from './change-account.tsx'
import { checkState, partName, providerName } from './cloud-words.ts'
import { AccountStatus, Freshness } from './clouds.tsx'
import { Members } from './members.tsx'
import { cloudAccountQuery, type CloudAccount } from './queries.ts'
import { RunIdentities } from './run-identities.tsx'
import { Syncs } from './syncs.tsx'

const route = getRouteApi('/app/clouds/$id')

/** One account: its status, what was checked, and its syncs with the places that they looked at. */
export function CloudAccountPage() {
  const { id } = route.useParams()
  const { may } = useMe()
  const query = useQuery(cloudAccountQuery(id))
  const account = query.data?.account
  if (isGone(query.error)) return <Gone what="cloud account" to="/clouds" list="All clouds" />
  if (!account)
    return (
      <>
        <PageHead above={<Link to="/clouds">Clouds</Link>} title="Cloud account" />
        {query.isPending ? (
          <Loading what="the cloud account" />
        ) : (
          <ErrorNote error={query.error} goesOn />
        )}
      </>
    )
  return (
    <>
      <PageHead
        above={<Link to="/clouds">Clouds</Link>}
        title={account.name}
        actions={may('manage_cloud_accounts') && <Actions account={account} />}
      >
        <p className="run-line dim">
          {providerName[account.provider]} <code>{account.accountId}</code>
          <span>connected {kinds[account.credentialsKind]}</span>
        </p>
      </PageHead>
      <section className="section">
        <h2>Status</h2>
        <p className="section-text">
          <AccountStatus account={account} />
        </p>
        <DataTable
          label="Checks"
          rows={account.checks.map((check) => ({ id: check.part, ...check }))}
          columns={checkColumns}
        />
        <RunIdentities account={account} />
      </section>
      <AccountBills account={account} />
      <section className="section">
        <h2>Syncs</h2>
        <p className="section-text dim">
          The next one begins <Time at={account.nextSyncAt} />. When the last one ended, there were{' '}
          <Link to="/clouds/resources" search={{ accountId: account.id }}>
            {account.resources.toLocaleString()} resources of this account
          </Link>
          .
        </p>
        <p className="section-text">
          <Freshness sync={account.sync} />
        </p>
        <Syncs accountId={id} />
      </section>
      {account.provider === 'aws' && may('manage_cloud_accounts') && <Members accountId={id} />}
    </>
  )
}

const kinds: Record<CloudAccount['credentialsKind'], string> = {
  federation: 'without a key',
  role: 'by a role',
  keys: 'with a key',
}

const checkColumns: ReadonlyArray<Column<CloudAccount['checks'][number] & { id: string }>> = [
  { title: 'Part', render: ({ part }) => partName[part] },
  {
    title: 'State',
    render: ({ state }) => (
      <span className={`badge ${checkState[state].tone}`}>{checkState[state].words}</span>
    ),
  },
  {
    title: 'What to do',
    render: ({ reason, missing }) => (
      <>
        {reason}
        {missing.map((permission) => (
          <code className="tag" key={permission}>
            {permission}
          </code>
        ))}
      </>
    ),
  },
]

function Actions({ account }: { account: CloudAccount }) {
  const { id, name } = account
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [changing, setChanging] = useState(false)
  const { key, renew } = useStartKey(`sync:${id}`)
  const refresh = async () => queryClient.invalidateQueries({ queryKey: ['clouds'] })
  const validate = useMutation({
    mutationFn: () => call('validateCloudAccount', { params: { id } }),
    onSettled: refresh,
  })
  const sync = useMutation({
    mutationFn: () => call('syncCloudAccount', { params: { id }, idempotencyKey: key() }),
    onSuccess: renew,
    onSettled: refresh,
  })
  return (
    <>
      <Button busy={validate.isPending} onClick={() => validate.mutate()}>
        Check
      </Button>
      <Button busy={sync.isPending} onClick={() => sync.mutate()}>
        Sync now
      </Button>
      <Button onClick={() => setChanging(true)}>Change…</Button>
      <ConfirmButton
        label="Disconnect…"
        tone="danger"
        title={`Disconnect ${name}?`}
        act="Disconnect"
        run={() => call('disconnectCloudAccount', { params: { id } })}
        refresh={['clouds']}
        onDone={() => void navigate({ to: '/clouds' })}
      >
        Its credentials and its list of resources are deleted. Nothing changes in the cloud. A
        workspace that uses it must name another account, or none, in its settings first.
      </ConfirmButton>
      <ErrorNote error={sync.error ?? validate.error} />
      {changing && <ChangeAccount account={account} onClose={() => setChanging(false)} />}
    </>
  )
}
