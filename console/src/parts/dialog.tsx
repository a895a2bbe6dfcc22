import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'

type Props = {
  title: string
  description?: ReactNode
  children: ReactNode
  onClose: () => void
}

/** A modal dialog, the browser's own: focus moves in, stays in, and comes back; Escape closes it. */
export function Dialog({ title, description, children, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // Before it leaves the document, so that focus goes back to where it came from.
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-text` : undefined}
      onCancel={(event) => {
        // Whether it is open is said by whoever shows it.
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
