import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { call, type Body } from '../api/call.ts'
import { gitConnectionsQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button, Select } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { SettingsChanged } from '../parts/settings-changed.tsx'
import { useStoredForm } from '../parts/use-stored-form.ts'
import { FilesChoice, type FilesFrom } from './files-choice.tsx'
import { GitSourceFields } from './git-source-fields.tsx'
import { gitSourceIn, inlineSource, sourceChange, sourceText } from './git-source.ts'

/** Where the files of a workspace come from, and for those of the console, where they are committed. */
export function WorkspaceSource({ workspace }: { workspace: Workspace }) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const fields = useStoredForm(workspace, sourceText)
  const { was, turn } = fields
  const { kind } = was.source
  const [chosen, setChosen] = useState<{ from: FilesFrom; turn: number }>()
  // The choice is a field too: it begins anew with them.
  const from = chosen?.turn === turn ? chosen.from : kind
  const { data } = useInfiniteQuery(gitConnectionsQuery)
  const connection = data?.pages
    .flatMap((page) => page.connections)
    .find(({ id }) => id === workspace.gitConnectionId)
  const save = useMutation({
    mutationFn: async (typed: ReturnType<typeof gitSourceIn>) => {
      const body = sourceChange(typed, was, workspace)
      if (Object.keys(body).length === 0) return workspace
      return (await call('updateWorkspace', { params: { id: was.id }, body })).workspace
    },
    onSuccess: (now, typed) => fields.onSaved(() => typed, now),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['workspaces'] }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    // The fields are not drawn yet: they would be taken for empty ones.
    if (from === 'git' && kind === 'git' && !form.has('path')) return
    fields.onSend()
    save.mutate(from === 'git' ? gitSourceIn(form) : inlineSource(connection))
  }
  const isForm = from === 'git' || kind === 'git'
  return (
    <section className="section git-choice">
      {isForm && fields.overtaken && <SettingsChanged onShow={fields.showStored} />}
      <form className="stack" onSubmit={submit} onChange={fields.onTouch}>
        <fieldset className="stack" disabled={!may('mutate_infra')}>
          <legend className="visually-hidden">The source of the files</legend>
          <FilesChoice value={from} onChange={(value) => setChosen({ from: value, turn })} />
          {from === 'git' && <GitSourceFields key={turn} workspace={was} />}
        </fieldset>
        {from !== kind && <p className="note">{afterwards[from]}</p>}
        <ErrorNote error={save.error} />
        {isForm && may('mutate_infra') && (
          <div className="bar">
            <span className="dim" role="status">
              {fields.saved && 'Saved.'}
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

/** What another choice means. */
const afterwards: Record<FilesFrom, string> = {
  git: 'The next run reads the newest commit. The versions that are stored here stay.',
  inline:
    'The newest version that was read stays, and you go on from it here. Pushes change nothing from then on.',
}

/** Selects the connection. Offers only connections that are for workspaces and have a repository. */
function CommittedTo({ workspace: { id, gitConnectionId } }: { workspace: Workspace }) {
  const { may } = useMe()
  const query = useInfiniteQuery(gitConnectionsQuery)
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (body: Body<'updateWorkspace'>) =>
      call('updateWorkspace', { params: { id }, body }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['workspaces'] }),
  })
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
