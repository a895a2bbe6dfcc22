import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { configurationVersionQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { CodeText } from '../editor/code-text.tsx'
import { FileNames } from './file-names.tsx'
import { RestoreVersion } from './restore-version.tsx'

type Props = { workspace: Workspace; version: number }

/** The files of one version, read-only. An approver needs the version of the run, which may not be the newest. */
export function FilesOfVersion({ workspace, version }: Props) {
  const { id, configurationVersion } = workspace
  const { data, error } = useQuery(configurationVersionQuery(id, version))
  const [wanted, setChosen] = useState<string>()
  if (!data) return error ? <ErrorNote error={error} goesOn /> : <Loading what="files" />
  const newest = (
    <Link to="/workspaces/$id" params={{ id }} search={{ tab: 'files' }}>
      {configurationVersion === null || configurationVersion === version
        ? 'Show the newest version'
        : `Show the newest, version ${configurationVersion}`}
    </Link>
  )
  if (!data.configuration)
    return (
      <Empty title={`There is no version ${version} of the files`}>
        <p>{newest}</p>
      </Empty>
    )
  const { files, authors } = data.configuration
  const names = Object.keys(files).toSorted()
  const chosen = wanted !== undefined && wanted in files ? wanted : names[0]
  const by = authors.map(({ label }) => label).join(', ')
  return (
    <>
      <div className="editor">
        <div className="editor-files">
          <FileNames names={names} chosen={chosen} onChoose={setChosen} />
        </div>
        {chosen !== undefined && (
          <CodeText
            name={chosen}
            label={`Text of ${chosen}`}
            text={files[chosen] ?? ''}
            readOnly
            onChange={() => undefined}
          />
        )}
      </div>
      <div className="bar">
        <span className="dim">
          Version {version}, read-only.{by && ` By ${by}.`}
        </span>
        <span className="actions">
          {newest}
          <RestoreVersion workspace={workspace} version={version} />
        </span>
      </div>
    </>
  )
}
