import { useQuery } from '@tanstack/react-query'
import { configurationQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { FilesEditor } from './files-editor.tsx'
import { useNewFiles } from './use-new-files.ts'

type Props = {
  workspace: Workspace
  /** The place that a link leads to. */
  file: string | undefined
  line: number | undefined
  /** Begins with the dialog that takes files. */
  upload: boolean | undefined
}

/** The newest files of a workspace, and their editor. */
export function Files({ workspace, file, line, upload }: Props) {
  const query = useQuery(configurationQuery(workspace.id))
  useNewFiles(workspace, query.data && (query.data.configuration?.number ?? 0))
  // Keeps the editor mounted when a refetch fails, so that unsaved input is not lost.
  if (query.data)
    return (
      <>
        <ErrorNote error={query.error} goesOn />
        <FilesEditor
          workspace={workspace}
          newest={query.data.configuration ?? none}
          link={{ file, line, upload }}
        />
      </>
    )
  return query.error ? <ErrorNote error={query.error} goesOn /> : <Loading what="files" />
}

const none = { number: 0, files: {} }
