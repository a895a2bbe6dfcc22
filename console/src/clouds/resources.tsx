import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { resourceFilters, type ResourceFilter } from '../app/searches.ts'
import { money } from '../cost/money.ts'
import { ratesHash } from '../cost/rates-hash.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { foundWords } from '../parts/filter-box.tsx'
import { FilterForm } from '../parts/filter-form.tsx'
import { Field, Select, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { providerName } from './cloud-words.ts'
import { CloudTabs } from './cloud-tabs.tsx'
import { ResourceTags } from './resource-tags.tsx'
import { cloudAccountsQuery, cloudResourcesQuery, type CloudResource } from './queries.ts'

const queryOf = (filter: ResourceFilter) =>
  new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))

const route = getRouteApi('/app/clouds/resources')

/** The resources of all accounts. The filters are in the URL, so that a list can be shared. */
export function ResourcesPage() {
  const filter = route.useSearch()
  const query = useInfiniteQuery(cloudResourcesQuery(filter))
  const resources = query.data?.pages.flatMap((page) => page.resources) ?? []
  const isFiltered = Object.keys(filter).length > 0
  const settled = query.isSuccess && !query.isPlaceholderData
  return (
    <>
      <PageHead title="Clouds" tabTitle="Resources" />
      <CloudTabs />
      <ResourceFields
        filter={filter}
        found={settled && isFiltered ? foundWords(resources.length, query.hasNextPage) : ''}
      />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="resources" />}
      {query.isSuccess && resources.length === 0 && (
        <Empty title={isFiltered ? 'Nothing matches' : 'No resources yet'}>
          <p>
            {isFiltered
              ? 'Widen the filter.'
              : 'Resources are listed after the first sync of a cloud account.'}
          </p>
          {!isFiltered && <Link to="/clouds">Cloud accounts</Link>}
        </Empty>
      )}
      <DataTable label="Resources" rows={resources} columns={columns} />
      <LoadMore query={query} />
    </>
  )
}

const columns: ReadonlyArray<Column<CloudResource>> = [
  {
    title: 'Resource',
    render: ({ name, cloudId, state }) => (
      <div className="resource-name">
        {name || cloudId}
        {state === 'gone' && <span className="tag bad">gone</span>}
        <code className="row-sub detail">{cloudId}</code>
      </div>
    ),
  },
  {
    title: 'Type',
    render: ({ type, service }) => (
      <>
        {type}
        <span className="row-sub">{service}</span>
      </>
    ),
  },
  {
    title: 'Region',
    render: ({ region, provider }) => (
      <>
        {region || 'global'}
        <span className="row-sub">{providerName[provider]}</span>
      </>
    ),
  },
  {
    title: 'Workspace',
    render: ({ workspace }) =>
      workspace ? (
        <>
          <Link to="/workspaces/$id" params={{ id: workspace.id }}>
            {workspace.name}
          </Link>
          <code className="row-sub detail">{workspace.address}</code>
        </>
      ) : (
        <span className="dim">none</span>
      ),
  },
  {
    title: 'Tags',
    render: ({ tags }) => <ResourceTags tags={tags} />,
  },
  {
    title: 'Cost of 30 days',
    render: ({ cost30Days, currency, seenIn }) =>
      cost30Days === null ? (
        <span className="dim">
          {seenIn.includes('bill') ? (
            <Link to="/cost/bills" hash={ratesHash}>
              no exchange rate
            </Link>
          ) : (
            'not in a bill'
          )}
        </span>
      ) : (
        money(cost30Days, currency)
      ),
  },
  { title: 'Last seen', look: 'dim', render: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
]

function searchOf(form: FormData): ResourceFilter {
  const search: ResourceFilter = {}
  for (const name of resourceFilters) {
    const value = textIn(form, name).trim()
    if (value) search[name] = value
  }
  const accountId = Number(textIn(form, 'accountId'))
  if (accountId > 0) search.accountId = accountId
  const managed = textIn(form, 'managed')
  if (managed) search.managed = managed === 'yes'
  const state = textIn(form, 'state')
  if (state === 'gone' || state === 'all') search.state = state
  return search
}

function ResourceFields({ filter, found }: { filter: ResourceFilter; found: string }) {
  const navigate = useNavigate()
  return (
    <FilterForm
      search={filter}
      read={searchOf}
      onFilter={(search) => void navigate({ to: '/clouds/resources', search })}
      found={found}
      beside={
        // A plain link, so that the browser shows the text.
        <a className="button" href={`/api/cloud/resources/imports?${queryOf(filter).toString()}`}>
          Import blocks
        </a>
      }
    >
      <Field
        label="Name or id"
        name="q"
        type="search"
        minLength={3}
        maxLength={200}
        defaultValue={filter.q}
        placeholder="3 characters or more"
      />
      <CloudAndAccount filter={filter} />
      <Field label="Service" name="service" defaultValue={filter.service} placeholder="ec2" />
      <Field label="Type" name="type" defaultValue={filter.type} />
      <Field label="Region" name="region" defaultValue={filter.region} />
      <Field label="Tag" name="tag" defaultValue={filter.tag} placeholder="team=core" />
      <Select
        label="In a workspace"
        name="managed"
        defaultValue={filter.managed === undefined ? '' : filter.managed ? 'yes' : 'no'}
      >
        <option value="">either</option>
        <option value="yes">yes</option>
        <option value="no">no</option>
      </Select>
      <Select label="State" name="state" defaultValue={filter.state ?? ''}>
        <option value="">present</option>
        <option value="gone">gone</option>
        <option value="all">all</option>
      </Select>
    </FilterForm>
  )
}

function CloudAndAccount({ filter: { provider: chosen, accountId } }: { filter: ResourceFilter }) {
  const query = useInfiniteQuery(cloudAccountsQuery)
  const accounts = query.data?.pages.flatMap((page) => page.accounts) ?? []
  const isListed = accounts.some(({ id }) => id === accountId)
  // Held here: a select without the option yet would choose another one by itself, and Filter would send that.
  const [account, setAccount] = useState(`${accountId ?? ''}`)
  return (
    <>
      <Select label="Cloud" name="provider" defaultValue={chosen ?? ''}>
        <option value="">all</option>
        {Object.entries(providerName).map(([provider, name]) => (
          <option key={provider} value={provider}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Account"
        name="accountId"
        value={account}
        onChange={({ target }) => setAccount(target.value)}
      >
        <option value="">all</option>
        {accountId !== undefined && !isListed && (
          <option value={accountId}>Account {accountId}</option>
        )}
        {accounts.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </>
  )
}
