import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMe } from '../app/session.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { accountStatus, partName, providerName, syncState } from './cloud-words.ts'
import { CloudTabs } from './cloud-tabs.tsx'
import { cloudAccountsQuery, type CloudAccount } from './queries.ts'

/** The connected cloud accounts with their status. */
export function CloudsPage() {
  const { may } = useMe()
  const query = useInfiniteQuery(cloudAccountsQuery)
  const accounts = query.data?.pages.flatMap((page) => page.accounts) ?? []
  const connect = may('manage_cloud_accounts') && (
    <Link to="/clouds/connect" className="button primary">
      Connect a cloud account
    </Link>
  )
  return (
    <>
      <PageHead title="Clouds" actions={accounts.length > 0 && connect} />
      <CloudTabs />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="cloud accounts" />}
      {query.isSuccess && accounts.length === 0 && (
        <Empty title="No cloud accounts yet">
          <p>
            Connect an account of AWS, Azure or Google Cloud to list its resources and to see which
            of them belong to no workspace. No key is stored: the cloud trusts this organization’s
            issuer.
          </p>
          {connect || <p>A person with the role SRE · Cloud Admin or higher connects one.</p>}
        </Empty>
      )}
      <DataTable label="Cloud accounts" rows={accounts} columns={columns} />
      <LoadMore query={query} />
    </>
  )
}

const columns: ReadonlyArray<Column<CloudAccount>> = [
  {
    title: 'Account',
    render: ({ id, name, provider, accountId }) => (
      <>
        <Link to="/clouds/$id" params={{ id }}>
          {name}
        </Link>
        <span className="row-sub">
          {providerName[provider]} <code>{accountId}</code>
        </span>
      </>
    ),
  },
  { title: 'Status', render: (account) => <AccountStatus account={account} /> },
  {
    title: 'Parts that do not work',
    render: ({ checks }) =>
      checks
        .filter(({ state }) => state === 'missing' || state === 'failed')
        .map(({ part }) => partName[part])
        .join(', ') || <span className="dim">none</span>,
  },
  {
    title: 'Checked',
    look: 'dim',
    render: ({ validatedAt }) => (validatedAt ? <Time at={validatedAt} /> : 'not yet'),
  },
  { title: 'Resources', render: ({ resources }) => resources.toLocaleString() },
  { title: 'Last sync', render: ({ sync }) => <Freshness sync={sync} /> },
  { title: 'Next sync', look: 'dim', render: ({ nextSyncAt }) => <Time at={nextSyncAt} /> },
]

/** How old the list of resources is, and whether it is whole. */
export function Freshness({ sync }: Pick<CloudAccount, 'sync'>) {
  if (!sync) return <span className="dim">none yet</span>
  const { tone, words } = syncState[sync.state]
  return (
    <>
      <span className={`badge ${tone}`}>{words}</span>
      <span className="row-sub">
        {sync.endedAt === null ? 'since' : 'ended'} <Time at={sync.endedAt ?? sync.startedAt} />
      </span>
      {sync.coverage === 'tagged_only' && (
        <span className="row-sub">not all resources are listed</span>
      )}
    </>
  )
}

export function AccountStatus({ account: { status, statusReason } }: { account: CloudAccount }) {
  const { tone, words } = accountStatus[status]
  return (
    <>
      <span className={`badge ${tone}`}>{words}</span>
      {statusReason && <span className="row-sub">{statusReason}</span>}
    </>
  )
}
