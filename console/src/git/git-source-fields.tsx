import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { gitConnectionsQuery, gitRepositoriesQuery } from '../api/queries.ts'
import type { GitConnection, Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { useSettled } from '../parts/filter-box.tsx'
import { Field, Select } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { firstOf } from './git-source.ts'
import { providerName } from './git-words.ts'

/** Which repository, branch and folders a workspace is read from. Without a workspace: of a new one. */
export function GitSourceFields({ workspace }: { workspace?: Workspace }) {
  const { may } = useMe()
  const guardian = may('manage_cloud_accounts')
  const query = useInfiniteQuery(gitConnectionsQuery)
  const [chosen, setChosen] = useState(workspace?.gitConnectionId ?? undefined)
  const connections = query.data?.pages.flatMap((page) => page.connections) ?? []
  // Of a workspace that exists, the connection guards the runs.
  const mayChoose = workspace === undefined || guardian
  const connection =
    connections.find(({ id }) => id === chosen) ?? (mayChoose ? firstOf(connections) : undefined)
  if (query.isPending) return <Loading what="Git connections" />
  if (!mayChoose && !connection)
    return (
      <p className="note">
        To read the files from Git, a person with the role SRE · Cloud Admin or higher chooses the
        connection.
      </p>
    )
  if (!connection) return query.error ? <ErrorNote error={query.error} /> : <NoConnection />
  return (
    <>
      <Select
        label="Connection"
        name="gitConnectionId"
        value={connection.id}
        disabled={!mayChoose}
        onChange={({ target: { value } }) => setChosen(Number(value))}
      >
        {connections.map((one) => (
          <option key={one.id} value={one.id}>
            {one.defaultRepo ?? one.host} ({providerName[one.provider]})
          </option>
        ))}
      </Select>
      <Repository
        key={connection.id}
        connection={connection}
        was={workspace?.source.repo ?? ''}
        mayChoose={guardian}
      />
      <Places connection={connection} workspace={workspace} guardian={guardian} />
    </>
  )
}

function NoConnection() {
  const { may } = useMe()
  return (
    <div className="note" role="status">
      <p>
        {may('manage_cloud_accounts')
          ? 'No repository is connected yet.'
          : 'No repository is connected yet. A person with the role SRE · Cloud Admin or higher connects one.'}
      </p>
      {may('manage_cloud_accounts') && (
        <p className="note-action">
          <Link to="/organization/git">Connect a repository</Link>
        </p>
      )}
    </div>
  )
}

type RepositoryProps = { connection: GitConnection; was: string; mayChoose: boolean }

/** Searched at the Git host, once somebody types. */
function Repository({ connection, was, mayChoose }: RepositoryProps) {
  const listId = useId()
  const [typed, setTyped] = useState(was)
  const [isTouched, setTouched] = useState(false)
  const query = useQuery({
    ...gitRepositoriesQuery(connection.id, useSettled(typed)),
    enabled: mayChoose && isTouched,
  })
  return (
    <>
      <Field
        label="Repository"
        name="repo"
        list={listId}
        value={typed}
        // Not disabled: it would not be sent, and the repository would become another one.
        readOnly={!mayChoose}
        required={connection.defaultRepo === null}
        onFocus={() => setTouched(true)}
        onChange={({ target: { value } }) => setTyped(value)}
        maxLength={300}
        autoComplete="off"
        spellCheck={false}
        placeholder={connection.defaultRepo ?? 'owner/name'}
        hint={
          mayChoose
            ? 'Empty is the repository of the connection. Type the first letters of another one.'
            : 'Another repository than that of the connection requires the role SRE · Cloud Admin.'
        }
      />
      <datalist id={listId}>
        {(query.data?.repos ?? []).map(({ fullName, archived }) => (
          <option key={fullName} value={fullName}>
            {archived ? `${fullName}, archived` : fullName}
          </option>
        ))}
      </datalist>
      <ErrorNote error={query.error} />
    </>
  )
}

type PlacesProps = {
  connection: GitConnection
  workspace: Workspace | undefined
  guardian: boolean
}

function Places({ connection, workspace, guardian }: PlacesProps) {
  return (
    <>
      <Field
        label="Branch"
        name="branch"
        defaultValue={workspace?.source.branch ?? ''}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        placeholder={connection.defaultBranch ?? 'default branch'}
      />
      <Field
        label="Folder"
        name="path"
        defaultValue={workspace?.path ?? ''}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        placeholder="the whole repository"
        hint="Its files are read, and OpenTofu runs in it."
      />
      <Field
        label="Other folders (optional)"
        name="include"
        defaultValue={workspace?.source.include?.join(', ') ?? ''}
        maxLength={2_600}
        autoComplete="off"
        spellCheck={false}
        placeholder="modules, shared/network"
        hint="They are read too, such as modules that the folder uses. A push to one of them counts."
      />
      <Select
        label="When somebody pushes"
        name="push"
        defaultValue={workspace?.autoApply ? 'apply' : 'plan'}
        disabled={workspace !== undefined && !guardian}
        hint="A pull request into the branch gets a plan, which cannot be applied. Pull requests of forks are not planned."
      >
        <option value="plan">plan only</option>
        <option value="apply">plan and apply, with the approvals of the workspace</option>
      </Select>
    </>
  )
}
