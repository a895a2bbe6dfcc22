import {
  useId,
  type ButtonHTMLAttributes,
  type InputHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  tone?: 'primary' | 'danger' | 'plain' | 'quiet'
  busy?: boolean
  /** A click on it does nothing, as on a disabled one, but it keeps the focus. */
  idle?: boolean
}

/** A button that becomes busy or idle keeps the focus, which a disabled one would lose to the page. */
export function Button({ tone = 'plain', busy = false, idle = false, ...props }: ButtonProps) {
  const { children, ...rest } = props
  const still = busy || idle
  return (
    <button
      type="button"
      {...rest}
      className={`button ${tone} ${rest.className ?? ''}`}
      aria-busy={busy}
      aria-disabled={still || undefined}
      {...(still && { onClick: prevent })}
    >
      {children}
    </button>
  )
}

/** Also of the form that it would send, by a click or by Enter in a field. */
const prevent = (event: MouseEvent) => event.preventDefault()

type FieldProps = InputHTMLAttributes<HTMLInputElement> & { label: ReactNode; hint?: ReactNode }

export function Field({ label, hint, ...rest }: FieldProps) {
  const id = useId()
  // Browsers add the title to their own words for what does not match.
  const title = rest.pattern !== undefined && typeof hint === 'string' ? hint : undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} title={title} {...(hint && { 'aria-describedby': `${id}-hint` })} {...rest} />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & { label: ReactNode; hint?: ReactNode }

export function Select({ label, hint, children, ...rest }: SelectProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} {...(hint && { 'aria-describedby': `${id}-hint` })} {...rest}>
        {children}
      </select>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type TextProps = TextareaHTMLAttributes<HTMLTextAreaElement> & {
  label: ReactNode
  hint?: ReactNode
  inputRef?: Ref<HTMLTextAreaElement>
}

export function TextField({ label, hint, inputRef, ...rest }: TextProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        {...(inputRef && { ref: inputRef })}
        {...(hint && { 'aria-describedby': `${id}-hint` })}
        {...rest}
      />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type CheckProps = InputHTMLAttributes<HTMLInputElement> & { label: ReactNode }

export function Check({ label, ...rest }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" {...rest} />
      <span>{label}</span>
    </label>
  )
}

/** The value of a text field of a form; empty if the field is missing. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
