import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { gitConnectionsQuery, gitRepositoriesQuery } from '../api/queries.ts'
import type { GitConnection, Pipeline } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { providerName } from '../git/git-words.ts'
import { useSettled } from '../parts/filter-box.tsx'
import { Field, Select } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'

type Was = Pick<Pipeline, 'appGitConnectionId' | 'appRepo' | 'appBranch' | 'appPath'>

/** The repository that an application is built from. Without a pipeline: of a new one. */
export function ApplicationSourceFields({ was }: { was: Was | undefined }) {
  const query = useInfiniteQuery(gitConnectionsQuery)
  const [chosen, setChosen] = useState(was?.appGitConnectionId ?? undefined)
  if (query.isPending) return <Loading what="Git connections" />
  const connections = (query.data?.pages.flatMap((page) => page.connections) ?? []).filter(
    ({ repoType }) => repoType === 'application',
  )
  // A pipeline that lost its connection names the next one only if a person chooses it.
  const first = was === undefined ? connections[0] : undefined
  const connection = connections.find(({ id }) => id === chosen) ?? first
  if (connections.length === 0)
    return query.error ? <ErrorNote error={query.error} /> : <NoConnection />
  return (
    <>
      <Select
        label="Git connection"
        {...(connection && { name: 'appGitConnectionId' })}
        value={connection?.id ?? ''}
        onChange={({ target: { value } }) => setChosen(Number(value))}
      >
        {!connection && <option value="">disconnected: choose another one</option>}
        {connections.map((one) => (
          <option key={one.id} value={one.id}>
            {one.defaultRepo ?? one.host} ({providerName[one.provider]})
          </option>
        ))}
      </Select>
      {connection && <Places key={connection.id} connection={connection} was={was} />}
    </>
  )
}

function NoConnection() {
  const { may } = useMe()
  return (
    <div className="note" role="status">
      <p>
        No repository of an application is connected yet.
        {!may('manage_cloud_accounts') &&
          ' A person with the role SRE · Cloud Admin or higher connects one.'}
      </p>
      {may('manage_cloud_accounts') && (
        <p className="note-action">
          <Link to="/organization/git">Connect a repository</Link>
        </p>
      )}
    </div>
  )
}

function Places({ connection, was }: { connection: GitConnection; was: Was | undefined }) {
  const listId = useId()
  const own = was?.appGitConnectionId === connection.id ? was : undefined
  const [typed, setTyped] = useState(own?.appRepo ?? connection.defaultRepo ?? '')
  const [isTouched, setTouched] = useState(false)
  const query = useQuery({
    ...gitRepositoriesQuery(connection.id, useSettled(typed)),
    enabled: isTouched,
  })
  return (
    <>
      <Field
        label="Repository"
        name="appRepo"
        list={listId}
        value={typed}
        required
        onFocus={() => setTouched(true)}
        onChange={({ target: { value } }) => setTyped(value)}
        maxLength={300}
        autoComplete="off"
        spellCheck={false}
        placeholder="owner/name"
      />
      <datalist id={listId}>
        {(query.data?.repos ?? []).map(({ fullName, archived }) => (
          <option key={fullName} value={fullName}>
            {archived ? `${fullName}, archived` : fullName}
          </option>
        ))}
      </datalist>
      <ErrorNote error={query.error} />
      <Field
        label="Branch (optional)"
        name="appBranch"
        defaultValue={own?.appBranch ?? ''}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        placeholder={connection.defaultBranch ?? 'default branch'}
      />
      <Field
        label="Folder (optional)"
        name="appPath"
        defaultValue={own?.appPath ?? ''}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        placeholder="the top of the repository"
        hint="The folder of the manifest, for a repository with several applications."
      />
    </>
  )
}
