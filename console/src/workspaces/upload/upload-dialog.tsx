import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useState, type ChangeEvent } from 'react'
import { plural } from '../../api/words.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Field } from '../../parts/forms.tsx'
import { Loading } from '../../parts/notes.tsx'
import { plainText } from '../../parts/plain-text.ts'
import type { FileTexts } from '../merge-files.ts'
import { readUpload, type ChosenFile, type Upload } from './read-upload.ts'

type Props = {
  /** Files that were dropped: the dialog begins with them. */
  dropped: Promise<ChosenFile[]> | undefined
  files: FileTexts
  /** Where the workspace's OpenTofu works. */
  folder: string
  onTake: (files: FileTexts) => void
  onClose: () => void
}

/** Puts a folder, an archive or single files into the editor. Nothing is saved by it. */
export function UploadDialog({ dropped, files, folder, onTake, onClose }: Props) {
  const [replaces, setReplaces] = useState(false)
  const read = useMutation({
    mutationFn: async (chosen: Promise<ChosenFile[]>) => readUpload(await chosen, folder),
  })
  const { mutate } = read
  useEffect(() => {
    if (dropped) mutate(dropped)
  }, [dropped, mutate])
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const chosen = [...(target.files ?? [])].map((file) => ({
      path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
      file,
    }))
    if (chosen.length > 0) mutate(Promise.resolve(chosen))
  }
  const upload = read.data
  const isEmpty = upload === undefined || Object.keys(upload.files).length === 0
  return (
    <FormDialog
      title="Upload files"
      description="They go into the editor. Nothing is saved until you save a new version."
      act="Put them into the editor"
      doing={{ isPending: false, error: read.error }}
      mayAct={!isEmpty}
      onSubmit={() => upload && onTake(replaces ? upload.files : { ...files, ...upload.files })}
      onClose={onClose}
    >
      <Field
        label="Files or an archive"
        type="file"
        multiple
        onChange={choose}
        hint="An archive is a .zip, .tar or .tar.gz file, up to 10 MiB."
      />
      <Field
        label="Folder"
        type="file"
        // React has no type for it; all browsers know it.
        {...{ webkitdirectory: '' }}
        onChange={choose}
      />
      {read.isPending && <Loading what="the files" />}
      {upload && <Found {...{ upload, files, replaces }} onReplaces={setReplaces} />}
    </FormDialog>
  )
}

type FoundProps = {
  upload: Upload
  files: FileTexts
  replaces: boolean
  onReplaces: (replaces: boolean) => void
}

function Found({ upload, files, replaces, onReplaces }: FoundProps) {
  const group = useId()
  const names = Object.keys(upload.files)
  const known = names.filter((name) => Object.hasOwn(files, name))
  const changed = known.filter((name) => files[name] !== upload.files[name]).length
  const others = Object.keys(files).filter((name) => !Object.hasOwn(upload.files, name)).length
  return (
    <>
      <p role="status">
        {plural(names.length, 'file')}: {names.length - known.length} new, {changed} changed,{' '}
        {known.length - changed} the same.
      </p>
      {others > 0 && (
        <fieldset className="merge-choice">
          <legend>{plural(others, 'file')} of the workspace not among them</legend>
          <label className="check">
            <input
              type="radio"
              name={group}
              checked={!replaces}
              onChange={() => onReplaces(false)}
            />
            <span>Keep</span>
          </label>
          <label className="check">
            <input type="radio" name={group} checked={replaces} onChange={() => onReplaces(true)} />
            <span>Remove</span>
          </label>
        </fieldset>
      )}
      {upload.left.length > 0 && (
        <details>
          <summary>{plural(upload.left.length, 'file')} left out</summary>
          <ul>
            {upload.left.slice(0, shownLeft).map(({ path, why }) => (
              <li key={path}>
                <code>{plainText(path)}</code>: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const shownLeft = 100
