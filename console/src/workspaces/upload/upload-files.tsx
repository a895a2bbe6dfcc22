import { Suspense, useState, type DragEvent, type ReactNode } from 'react'
import { useOpening } from '../../app/use-opening.ts'
import type { FileTexts } from '../merge-files.ts'
import { droppedFiles } from './dropped-files.ts'
import type { ChosenFile } from './read-upload.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'

const UploadDialog = lazyPart(async () => ({
  default: (await import('./upload-dialog.tsx')).UploadDialog,
}))

type Props = {
  files: FileTexts
  folder: string
  editable: boolean
  /** The page was opened to upload files. */
  begins: boolean
  onTake: (files: FileTexts) => void
  /** `onUpload` opens the dialog. */
  children: (onUpload: () => void) => ReactNode
}

/** A place where files can be dropped, and the dialog that says what becomes of them. */
export function UploadFiles({ files, folder, editable, begins, onTake, children }: Props) {
  const linked = useOpening('upload', begins && editable)
  const [dropped, setDropped] = useState<Promise<ChosenFile[]>>()
  const close = () => {
    setDropped(undefined)
    linked.close()
  }
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
        const read = droppedFiles(event.dataTransfer)
        // The dialog shows it, once it is loaded.
        read.catch(() => undefined)
        setDropped(read)
      }}
    >
      {children(linked.open)}
      {(linked.isOpen || dropped) && (
        <Suspense fallback={null}>
          <UploadDialog
            dropped={dropped}
            files={files}
            folder={folder}
            onTake={(taken) => {
              close()
              onTake(taken)
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </div>
  )
}
