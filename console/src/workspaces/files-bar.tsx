import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../parts/forms.tsx'
import { StartDialog } from '../runs/start-run.tsx'
import { FormatButton } from './format-button.tsx'
import type { FilesVersion, useFilesDraft } from './use-files-draft.ts'

type Props = {
  /** Of the workspace. */
  id: number
  draft: ReturnType<typeof useFilesDraft>
  newest: FilesVersion
  fromGit: boolean
  editable: boolean
  chosen: string
  onRemove: () => void
}

/** Which version is shown, and what can be done with it. */
export function FilesBar(props: Props) {
  const { id, draft, newest, fromGit, editable, chosen, onRemove } = props
  const { saved, changed, files, overtaken } = draft
  const [starting, setStarting] = useState(false)
  return (
    <div className="bar">
      <span className="dim">
        {saved.number === 0 ? 'No version was saved yet.' : `Version ${saved.number}.`}
        {changed && ' Not saved.'}
        {fromGit && ' Read from Git: change the files there.'}
        {editable && ' Escape, then Tab leaves the editor. '}
        {saved.number > 0 && (
          <Link to="/workspaces/$id" params={{ id }} search={{ tab: 'files', history: true }}>
            History
          </Link>
        )}
      </span>
      {editable && (
        <span className="actions">
          <FormatButton id={id} name={chosen} draft={draft} />
          {Object.keys(files).length > 1 && <Button onClick={onRemove}>Remove {chosen}</Button>}
          <Button
            tone={overtaken ? 'plain' : 'primary'}
            idle={!changed}
            busy={draft.saving}
            onClick={() => draft.save()}
          >
            {overtaken ? `Save over version ${newest.number}` : 'Save as a new version'}
          </Button>
          {!overtaken && (
            <Button
              title="Saves them as a new version, then asks what the run does"
              idle={!changed}
              busy={draft.saving}
              onClick={() => draft.save(() => setStarting(true))}
            >
              Run these files…
            </Button>
          )}
          {starting && <StartDialog workspaceId={id} onClose={() => setStarting(false)} />}
        </span>
      )}
    </div>
  )
}
