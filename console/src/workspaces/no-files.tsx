import { Button } from '../parts/forms.tsx'
import { Empty } from '../parts/notes.tsx'

type Props = {
  fromGit: boolean
  editable: boolean
  onBegin: (name: string, text: string) => void
  onUpload: () => void
}

/** What a new workspace begins with: it plans no change. */
export const firstFiles = {
  'main.tf': `terraform {
  required_version = ">= 1.8"
}
`,
}

/** Shown for a workspace without files, with how it gets them. */
export function NoFiles({ fromGit, editable, onBegin, onUpload }: Props) {
  if (fromGit)
    return (
      <Empty title="Not read yet">
        <p>The files of this workspace are in Git. Its first run reads them.</p>
      </Empty>
    )
  return (
    <Empty title="No files yet">
      {editable ? (
        <>
          <p>These are the OpenTofu files that every run of this workspace plans from.</p>
          <p className="actions">
            <Button tone="primary" onClick={() => onBegin('main.tf', firstFiles['main.tf'])}>
              Begin with main.tf
            </Button>
            <Button onClick={onUpload}>Upload files…</Button>
          </p>
        </>
      ) : (
        <p>A person with the role Deployer or higher writes the first ones.</p>
      )}
    </Empty>
  )
}
