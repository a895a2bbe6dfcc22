import { lazy, Suspense, useState, type DragEvent, type ReactNode } from 'react'
import type { FileTexts } from '../merge-files.ts'
import { droppedFiles } from './dropped-files.ts'
import type { ChosenFile } from './read-upload.ts'

const UploadDialog = lazy(async () => ({
  default: (await import('./upload-dialog.tsx')).UploadDialog,
}))

type Props = {
  files: FileTexts
  folder: string
  editable: boolean
  onTake: (files: FileTexts) => void
  /** `onUpload` opens the dialog. */
  children: (onUpload: () => void) => ReactNode
}

/** A place where files can be dropped, and the dialog that says what becomes of them. */
export function UploadFiles({ files, folder, editable, onTake, children }: Props) {
  const [open, setOpen] = useState<{ dropped: Promise<ChosenFile[]> | undefined }>()
  const isOurs = ({ dataTransfer }: DragEvent) => editable && dataTransfer.types.includes('Files')
  return (
    <div
      // Before the editor gets it, which would insert the text of a file at the place of the drop.
      onDragOverCapture={(event) => {
        if (isOurs(event)) event.preventDefault()
      }}
      onDropCapture={(event) => {
        if (!isOurs(event)) return
        event.preventDefault()
        event.stopPropagation()
        const dropped = droppedFiles(event.dataTransfer)
        // The dialog shows it, once it is loaded.
        dropped.catch(() => undefined)
        setOpen({ dropped })
      }}
    >
      {children(() => setOpen({ dropped: undefined }))}
      {open && (
        <Suspense fallback={null}>
          <UploadDialog
            dropped={open.dropped}
            files={files}
            folder={folder}
            onTake={(taken) => {
              setOpen(undefined)
              onTake(taken)
            }}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </div>
  )
}
