import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'

type Props = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  children: ReactNode
}

/** A modal dialog, the browser's own: focus moves in, stays in, and comes back; Escape closes it. */
export function Dialog({ open, ...rest }: Props) {
  return open ? <OpenDialog {...rest} /> : null
}

function OpenDialog({ onOpenChange, title, description, children }: Omit<Props, 'open'>) {
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
        onOpenChange(false)
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
