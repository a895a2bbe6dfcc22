import type { FormEvent, ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Button } from './forms.tsx'
import { ErrorNote } from './notes.tsx'
import { useOnce } from './use-once.ts'

type Props = {
  title: string
  description?: ReactNode
  /** The fields. */
  children?: ReactNode
  act: string
  /** The text of the button during a slow action. */
  acting?: string
  tone?: 'primary' | 'danger'
  /** False until the fields allow the action. */
  mayAct?: boolean
  cancel?: string
  doing: { isPending: boolean; error: Error | null }
  /** An error of another request in the dialog, such as the list of suggestions. */
  error?: Error | null | undefined
  /** Another action, next to the buttons. */
  beside?: ReactNode
  onSubmit: (form: FormData) => void
  onClose: () => void
}

/** A form in a dialog, with an error note and the buttons to cancel and to submit. */
export function FormDialog(props: Props) {
  const { title, description, children, act, acting = act, tone = 'primary', doing } = props
  const { cancel = 'Cancel', beside, mayAct = true, onClose } = props
  const once = useOnce(doing)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    once(() => props.onSubmit(form))
  }
  return (
    <Dialog title={title} description={description} onClose={onClose}>
      <form onSubmit={submit} className="stack">
        {children}
        <ErrorNote error={doing.error ?? props.error ?? null} />
        <div className="dialog-actions">
          {beside && <span className="dialog-beside">{beside}</span>}
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" tone={tone} disabled={!mayAct} busy={doing.isPending}>
            {doing.isPending ? acting : act}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
