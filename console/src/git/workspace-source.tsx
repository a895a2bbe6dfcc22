import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { call, type Body } from '../api/call.ts'
import { gitConnectionsQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button, Select } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { FilesChoice } from './files-choice.tsx'
import { GitSourceFields } from './git-source-fields.tsx'
import { gitSourceIn, inlineSource } from './git-source.ts'

/** Where the files of a workspace come from, and for those of the console, where they are committed. */
export function WorkspaceSource({ workspace }: { workspace: Workspace }) {
  const { kind } = workspace.source
  const { may } = useMe()
  const [from, setFrom] = useState(kind)
  const [saved, setSaved] = useState(false)
  const save = useSave(workspace.id, () => setSaved(true))
  const { data } = useInfiniteQuery(gitConnectionsQuery)
  const connection = data?.pages
    .flatMap((page) => page.connections)
    .find(({ id }) => id === workspace.gitConnectionId)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    save.mutate(from === 'git' ? gitSourceIn(form) : inlineSource(connection))
  }
  const isForm = from === 'git' || kind === 'git'
  return (
    <section className="section git-choice">
      <form className="stack" onSubmit={submit} onChange={() => setSaved(false)}>
        <fieldset className="stack" disabled={!may('mutate_infra')}>
          <legend className="visually-hidden">The source of the files</legend>
          <FilesChoice value={from} onChange={setFrom} />
          {from === 'git' && <GitSourceFields workspace={workspace} />}
        </fieldset>
        {from !== kind && (
          <p className="note">
            {from === 'git'
              ? 'The next run reads the newest commit. The versions that are stored here stay.'
              : 'The newest version that was read stays, and you go on from it here. Pushes change nothing from then on.'}
          </p>
        )}
        <ErrorNote error={save.error} />
        {isForm && may('mutate_infra') && (
          <div className="bar">
            <span className="dim" role="status">
              {saved && 'Saved.'}
            </span>
            <Button type="submit" tone="primary" busy={save.isPending}>
              {from === 'git' ? 'Save the source' : 'Keep the files here'}
            </Button>
          </div>
        )}
      </form>
      {from === 'inline' && kind === 'inline' && <CommittedTo workspace={workspace} />}
    </section>
  )
}

function useSave(id: number, onSaved: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Body<'updateWorkspace'>) =>
      call('updateWorkspace', { params: { id }, body }),
    onSuccess: onSaved,
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['workspaces'] }),
  })
}

/** Selects the connection. Offers only connections that are for workspaces and have a repository. */
function CommittedTo({ workspace: { id, gitConnectionId } }: { workspace: Workspace }) {
  const { may } = useMe()
  const query = useInfiniteQuery(gitConnectionsQuery)
  const change = useSave(id, () => undefined)
  const connections = (query.data?.pages.flatMap((page) => page.connections) ?? []).filter(
    (one) => one.repoType === 'infra' && one.defaultRepo !== null,
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      <ErrorNote error={change.error} />
      <Select
        label="Connection"
        value={gitConnectionId ?? ''}
        disabled={!may('manage_cloud_accounts') || change.isPending}
        onChange={({ target: { value } }) =>
          change.mutate({ gitConnectionId: value === '' ? null : Number(value) })
        }
        hint={
          <>
            Each version of the files is committed there. Changing the connection requires the role
            SRE · Cloud Admin or higher. <Link to="/organization/git">Git connections</Link>
          </>
        }
      >
        <option value="">none: the files are stored only here</option>
        {connections.map((one) => (
          <option key={one.id} value={one.id}>
            {one.defaultRepo} {one.defaultBranch && `(${one.defaultBranch})`}
          </option>
        ))}
      </Select>
    </>
  )
}
