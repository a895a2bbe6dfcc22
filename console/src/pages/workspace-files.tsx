import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { call } from '../api/call.ts'
import { configurationQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'

type FileTexts = Record<string, string>

export function Files({ workspace }: { workspace: Workspace }) {
  const query = useQuery(configurationQuery(workspace.id))
  if (query.isPending) return <Loading what="files" />
  if (query.error) return <ErrorNote error={query.error} goesOn />
  const saved = query.data.configuration
  return (
    <Editor
      key={saved?.number ?? 0}
      id={workspace.id}
      fromGit={workspace.source.kind === 'git'}
      saved={saved?.files ?? {}}
      version={saved?.number ?? null}
    />
  )
}

const firstFile = `terraform {
  required_version = ">= 1.8"
}
`

type EditorProps = { id: number; fromGit: boolean; saved: FileTexts; version: number | null }

function Editor({ id, fromGit, saved, version }: EditorProps) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const [files, setFiles] = useState(saved)
  const names = Object.keys(files).toSorted()
  const [chosen, setChosen] = useState(names[0])
  const changed = JSON.stringify(files) !== JSON.stringify(saved)
  const editable = may('mutate_infra') && !fromGit
  const save = useMutation({
    mutationFn: () => call('putConfiguration', { params: { id }, body: { files } }),
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: ['workspaces', id] }),
  })
  // What was typed is lost with the page, so leaving it asks first.
  useBlocker({
    shouldBlockFn: () => changed && !confirm('Your changes to the files are not saved. Leave?'),
    enableBeforeUnload: changed,
  })
  const add = () => {
    const name = prompt('Name of the file, for example network.tf')?.trim()
    if (!name || name in files) return
    setFiles({ ...files, [name]: '' })
    setChosen(name)
  }
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
          <div role="tablist" aria-label="Files" aria-orientation="vertical">
            {names.map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                aria-selected={name === chosen}
                className="editor-file"
                onClick={() => setChosen(name)}
              >
                {name}
                {files[name] !== saved[name] && <span aria-label="changed"> •</span>}
              </button>
            ))}
          </div>
          {editable && (
            <button type="button" className="editor-file" onClick={add}>
              + New file
            </button>
          )}
        </div>
        {chosen !== undefined && (
          <FileText
            name={chosen}
            text={files[chosen] ?? ''}
            readOnly={!editable}
            onChange={(text) => setFiles({ ...files, [chosen]: text })}
          />
        )}
      </div>
      <ErrorNote error={save.error} />
      <div className="bar">
        <span className="dim">
          {version === null ? 'No version was saved yet.' : `Version ${version}.`}
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
                  setChosen(Object.keys(rest).toSorted()[0])
                }}
              >
                Remove {chosen}
              </Button>
            )}
            <Button
              tone="primary"
              disabled={!changed}
              busy={save.isPending}
              onClick={() => save.mutate()}
            >
              Save as a new version
            </Button>
          </span>
        )}
      </div>
    </>
  )
}

type TextProps = {
  name: string
  text: string
  readOnly: boolean
  onChange: (text: string) => void
}

/** Tab leaves the editor, as everywhere; Ctrl or Cmd and `]` indents. */
function FileText({ name, text, readOnly, onChange }: TextProps) {
  const id = useId()
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== ']' || !(event.ctrlKey || event.metaKey) || readOnly) return
    event.preventDefault()
    const area = event.currentTarget
    area.setRangeText('  ', area.selectionStart, area.selectionEnd, 'end')
    onChange(area.value)
  }
  return (
    <div>
      <label htmlFor={id} className="visually-hidden">
        Text of {name}
      </label>
      <textarea
        id={id}
        className="editor-text"
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        readOnly={readOnly}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKey}
      />
    </div>
  )
}
