import { useId, useRef } from 'react'

type Faults = ReadonlyArray<{ message: string }>
type RegoProps = {
  rego: string
  readOnly: boolean
  faults: Faults
  onChange: (rego: string) => void
}

/** The text of a policy, and where it does not compile. */
export function RegoText({ rego, readOnly, faults, onChange }: RegoProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = rego.split('\n')
  const goTo = (line: number) => {
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
    area.current?.focus()
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  }
  return (
    <div>
      <label htmlFor={id} className="label">
        Rego
      </label>
      <textarea
        id={id}
        ref={area}
        className="editor-text rego"
        rows={Math.min(30, Math.max(14, lines.length + 1))}
        spellCheck={false}
        wrap="off"
        readOnly={readOnly}
        value={rego}
        aria-invalid={faults.length > 0}
        onChange={(event) => onChange(event.target.value)}
      />
      {faults.length > 0 && (
        <div className="note bad" role="alert">
          <p>The policy does not compile:</p>
          <ul>
            {faults.map(({ message }) => {
              const line = Number(/line (\d+)/.exec(message)?.[1] ?? 0)
              return (
                <li key={message}>
                  <button type="button" className="link" onClick={() => goTo(line)}>
                    {message}
                  </button>
                  {line > 0 && (
                    <pre className="fault-line">{`${line} │ ${lines[line - 1] ?? ''}`}</pre>
                  )}
                </li>
              )
            })}
          </ul>
        </div>
      )}
    </div>
  )
}
