import { useMemo, useState } from 'react'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { CodeText } from '../editor/code-text.tsx'
import type { Mark, Place } from '../editor/code-types.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { UnsavedGuard } from '../parts/unsaved-guard.tsx'
import { FileNames, NewFile } from './file-names.tsx'
import { FilesBar } from './files-bar.tsx'
import { MergeView } from './merge-view.tsx'
import type { FileTexts } from './merge-files.ts'
import { firstFiles, NoFiles } from './no-files.tsx'
import { RunProblems } from './run-problems.tsx'
import { UploadFiles } from './upload/upload-files.tsx'
import { useComplete } from './use-complete.ts'
import { useFilesDraft, type FilesVersion } from './use-files-draft.ts'
import { useRunMarks } from './use-run-marks.ts'

type Link = {
  file: string | undefined
  line: number | undefined
  upload?: boolean | undefined
}
type Props = { workspace: Workspace; newest: FilesVersion; link: Link }
/** `place`: the line to show of the file. `focusOn`: the text takes the focus. */
type Chosen = { file: string | undefined; place?: Place; focusOn?: object }

/** Edits the files of a workspace. A save makes a new version of all of them. */
export function FilesEditor({ workspace, newest, link }: Props) {
  const { may } = useMe()
  const fromGit = workspace.source.kind === 'git'
  const editable = may('mutate_infra') && !fromGit
  const [begun] = useState(() => (editable ? begunBy(link, newest) : undefined))
  const draft = useFilesDraft(workspace.id, newest, begun)
  const { files, setFiles } = draft
  const [wanted, choose] = useChosen(link, begun)
  const { file } = wanted
  const chosen =
    file !== undefined && Object.hasOwn(files, file) ? file : Object.keys(files).toSorted()[0]
  const add = (name: string, text: string) => {
    setFiles({ ...files, [name]: text })
    choose({ file: name, focusOn: {} })
  }
  const take = (taken: FileTexts) => {
    setFiles(taken)
    choose({ file: chosen, focusOn: {} })
  }
  return (
    <UploadFiles
      files={draft.untouched ? draft.saved.files : files}
      folder={workspace.path}
      editable={editable}
      begins={link.upload === true}
      onTake={take}
    >
      {(onUpload) =>
        chosen === undefined ? (
          <NoFiles {...{ fromGit, editable, onUpload }} onBegin={add} />
        ) : (
          <>
            {draft.overtaken && (
              <MergeView
                draft={draft}
                newest={newest}
                onDone={() => choose({ file: chosen, focusOn: {} })}
              />
            )}
            <OpenFiles
              {...{ workspace, draft, editable, chosen, wanted, choose, onUpload }}
              onAdd={(name) => add(name, '')}
            />
            <ErrorNote error={draft.error} />
            <UnsavedGuard unsaved={!draft.untouched} what="Your changes to the files" />
            <FilesBar
              {...{ draft, newest, fromGit, editable, chosen }}
              id={workspace.id}
              onRemove={() => {
                const { [chosen]: _, ...rest } = files
                take(rest)
              }}
            />
          </>
        )
      }
    </UploadFiles>
  )
}

type OpenProps = {
  workspace: Workspace
  draft: ReturnType<typeof useFilesDraft>
  editable: boolean
  chosen: string
  wanted: Chosen
  choose: (chosen: Chosen) => void
  onAdd: (name: string) => void
  onUpload: () => void
}

const noMarks: readonly Mark[] = []

/** The names of the files, the text of the chosen one, and what the last run said about them. */
function OpenFiles(props: OpenProps) {
  const { workspace, draft, editable, chosen, wanted, choose, onAdd, onUpload } = props
  const { files, setFiles, saved } = draft
  const { run, marks } = useRunMarks(workspace, saved.files)
  const complete = useComplete(workspace, files, chosen)
  const names = useMemo(() => Object.keys(files).toSorted(), [files])
  return (
    <>
      <div className="editor">
        <div className="editor-files">
          <FileNames
            names={names}
            chosen={chosen}
            isChanged={(name) => files[name] !== saved.files[name]}
            marksOf={(name) => marks.get(name)?.length ?? 0}
            onChoose={(file) => choose({ file })}
          />
          {editable && (
            <>
              <NewFile taken={names} onMake={onAdd} />
              <button type="button" className="editor-file" onClick={onUpload}>
                + Upload files
              </button>
            </>
          )}
        </div>
        <CodeText
          name={chosen}
          label={`Text of ${chosen}`}
          text={files[chosen] ?? ''}
          readOnly={!editable}
          focusOn={wanted.focusOn}
          place={wanted.file === chosen ? wanted.place : undefined}
          marks={marks.get(chosen) ?? noMarks}
          complete={complete}
          onChange={(text) => setFiles((all) => ({ ...all, [chosen]: text }))}
        />
      </div>
      <RunProblems
        run={run}
        marks={marks}
        onOpen={(file, line) => choose({ file, place: { line } })}
      />
    </>
  )
}

/** The link of a new workspace leads to its first file, which nobody has written yet. */
const begunBy = ({ file }: Link, { number }: FilesVersion): FileTexts | undefined =>
  number === 0 && file === 'main.tf' ? firstFiles : undefined

/** The file and line of the link, until another one is chosen. A new link shows its place again. */
function useChosen({ file, line }: Link, begun: FileTexts | undefined) {
  const of = (): Chosen => ({ file, ...(line !== undefined && { place: { line } }) })
  const [wanted, choose] = useState(() => ({ ...of(), ...(begun && { focusOn: begun }) }))
  const link = JSON.stringify([file, line])
  const [shown, setShown] = useState(link)
  if (link !== shown) {
    setShown(link)
    if (file !== undefined) choose(of())
  }
  return [wanted, choose] as const
}
