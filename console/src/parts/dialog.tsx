import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'

type Props = {
  title: string
  description?: ReactNode
  children: ReactNode
  onClose: () => void
}

/** A modal `<dialog>`. The browser moves the focus in, keeps it inside and restores it. Escape closes the dialog. */
export function Dialog({ title, description, children, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // Closes the dialog before it is removed from the document, so that the browser restores the focus.
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-text` : undefined}
      onCancel={(event) => {
        // The parent component decides whether the dialog is open.
        event.preventDefault()
        onClose()
      }}
    >
      <h2 className="dialog-title" id={`${id}-title`}>
        {title}
      </h2>
      {description && (
        <div className="dialog-text" id={`${id}-text`}>
          {description}
        </div>
      )}
      {children}
    </dialog>
  )
}
