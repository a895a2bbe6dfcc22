import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { configurationQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { UnsavedGuard } from '../parts/unsaved-guard.tsx'
import { FileNames, FileText, NewFile } from './file-text.tsx'

type FileTexts = Record<string, string>
type Version = { number: number; files: FileTexts }
const none: Version = { number: 0, files: {} }

/** `file` and `line` are the place that a link leads to. */
type Place = { file: string | undefined; line: number | undefined }

export function Files({ workspace, ...place }: Place & { workspace: Workspace }) {
  const query = useQuery(configurationQuery(workspace.id))
  // Keeps the editor mounted when a refetch fails, so that unsaved input is not lost.
  if (query.data)
    return (
      <>
        <ErrorNote error={query.error} goesOn />
        <Editor
          id={workspace.id}
          fromGit={workspace.source.kind === 'git'}
          newest={query.data.configuration ?? none}
          {...place}
        />
      </>
    )
  return query.error ? <ErrorNote error={query.error} goesOn /> : <Loading what="files" />
}

const firstFile = `terraform {
  required_version = ">= 1.8"
}
`

type EditorProps = Place & { id: number; fromGit: boolean; newest: Version }

function Editor({ id, fromGit, newest, file, line }: EditorProps) {
  const { may } = useMe()
  const draft = useDraft(id, newest)
  const { files, setFiles, saved, changed, save } = draft
  const names = Object.keys(files).toSorted()
  const [wanted, setChosen] = useState(file)
  // The button that began is gone, so the text takes the focus.
  const [begun, setBegun] = useState(false)
  const chosen = wanted !== undefined && wanted in files ? wanted : names[0]
  const editable = may('mutate_infra') && !fromGit
  if (names.length === 0 && fromGit)
    return (
      <Empty title="Not read yet">
        <p>The files of this workspace are in Git. Its first run reads them.</p>
      </Empty>
    )
  if (names.length === 0)
    return (
      <Empty title="No files yet">
        {editable ? (
          <>
            <p>These are the OpenTofu files that every run of this workspace plans from.</p>
            <Button
              tone="primary"
              onClick={() => {
                setFiles({ 'main.tf': firstFile })
                setChosen('main.tf')
                setBegun(true)
              }}
            >
              Begin with main.tf
            </Button>
          </>
        ) : (
          <p>A person with the role Deployer or higher writes the first ones.</p>
        )}
      </Empty>
    )
  return (
    <>
      <div className="editor">
        <div className="editor-files">
          <FileNames
            names={names}
            chosen={chosen}
            isChanged={(name) => files[name] !== saved.files[name]}
            onChoose={setChosen}
          />
          {editable && (
            <NewFile
              taken={names}
              onMake={(name) => {
                setFiles({ ...files, [name]: '' })
                setChosen(name)
              }}
            />
          )}
        </div>
        {chosen !== undefined && (
          <FileText
            name={chosen}
            text={files[chosen] ?? ''}
            readOnly={!editable}
            focused={begun}
            line={chosen === file ? line : undefined}
            onChange={(text) => setFiles({ ...files, [chosen]: text })}
          />
        )}
      </div>
      {draft.overtaken && (
        <div className="note warn" role="status">
          <p>
            Version {newest.number} was saved by {draft.overtakenBy} while you were typing on
            version {saved.number}. If you save, your version replaces all of its files.
          </p>
          <p>
            <ConfirmButton
              label="Take theirs…"
              title={`Take version ${newest.number}?`}
              act="Take it"
              run={async () => draft.take(newest)}
              refresh={['workspaces', id]}
            >
              What you typed here and did not save is lost.
            </ConfirmButton>
          </p>
        </div>
      )}
      <ErrorNote error={save.error} />
      <UnsavedGuard unsaved={changed} what="Your changes to the files" />
      <div className="bar">
        <span className="dim">
          {saved.number === 0 ? 'No version was saved yet.' : `Version ${saved.number}.`}
          {changed && ' Not saved.'}
          {fromGit && ' Read from Git: change the files there.'}
        </span>
        {editable && (
          <span className="actions">
            {chosen !== undefined && names.length > 1 && (
              <Button
                onClick={() => {
                  const { [chosen]: _, ...rest } = files
                  setFiles(rest)
                }}
              >
                Remove {chosen}
              </Button>
            )}
            <Button
              tone="primary"
              idle={!changed}
              busy={save.isPending}
              onClick={() => save.mutate()}
            >
              {draft.overtaken ? `Save over version ${newest.number}` : 'Save as a new version'}
            </Button>
          </span>
        )}
      </div>
    </>
  )
}

/**
 * The unsaved files and the version that they are based on. A newer version replaces an unchanged
 * draft. For a changed draft the editor shows a notice, and a save never overwrites a version that
 * the person has not been told about (lost update).
 */
function useDraft(id: number, newest: Version & { authors?: ReadonlyArray<{ label: string }> }) {
  const queryClient = useQueryClient()
  const [saved, setSaved] = useState<Version>(newest)
  const [files, setFiles] = useState(newest.files)
  const changed = JSON.stringify(files) !== JSON.stringify(saved.files)
  const take = (version: Version) => {
    setSaved(version)
    setFiles(version.files)
  }
  const isNewer = newest.number > saved.number
  if (isNewer && !changed) take(newest)
  const overtaken = isNewer && changed
  const save = useMutation({
    mutationFn: async () => {
      const { queryKey } = configurationQuery(id)
      const now = await call('getConfiguration', { params: { id } })
      queryClient.setQueryData(queryKey, now)
      if ((now.configuration?.number ?? 0) > newest.number)
        throw new Error('Somebody else saved a version at the same time. Nothing was written.')
      return call('putConfiguration', { params: { id }, body: { files } })
    },
    onSuccess: async ({ configuration: { number } }) => {
      setSaved({ number, files })
      await queryClient.invalidateQueries({ queryKey: ['workspaces', id] })
    },
  })
  const overtakenBy = newest.authors?.map(({ label }) => label).join(', ') || 'somebody else'
  return { files, setFiles, saved, changed, take, overtaken, overtakenBy, save }
}
