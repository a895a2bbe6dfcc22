import { useMemo, useState } from 'react'
import { CodeText } from '../editor/code-text.tsx'
import type { Mark, Place } from '../editor/code-types.ts'

const noMarks: readonly Mark[] = []
type Faults = ReadonlyArray<{ message: string }>
type RegoProps = {
  rego: string
  readOnly: boolean
  faults: Faults
  /** A new object moves the focus into the text. */
  focusOn: object | undefined
  onChange: (rego: string) => void
}

/** The text of a policy, and where it does not compile. */
export function RegoText({ rego, readOnly, faults, focusOn, onChange }: RegoProps) {
  const [place, goTo] = useState<Place>()
  const lines = rego.split('\n')
  const marks = useMemo(
    () => (faults.length === 0 ? noMarks : faults.map(markOf).filter(({ line }) => line > 0)),
    [faults],
  )
  return (
    <div>
      <span className="label" aria-hidden="true">
        Rego
      </span>
      <div className="editor-rego">
        <CodeText
          name="policy.rego"
          label="Rego"
          text={rego}
          readOnly={readOnly}
          focusOn={focusOn}
          place={place}
          marks={marks}
          onChange={onChange}
        />
      </div>
      {faults.length > 0 && (
        <div className="note bad" role="alert">
          <p>The policy does not compile:</p>
          <ul>
            {faults.map(({ message }) => {
              const { line } = markOf({ message })
              return (
                <li key={message}>
                  <button type="button" className="link" onClick={() => goTo({ line })}>
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

/** 0: the fault names no line. */
const markOf = ({ message }: { message: string }): Mark => ({
  line: Number(/line (\d+)/.exec(message)?.[1] ?? 0),
  severity: 'error',
  text: message,
})
