/** Something to say about a line, counted from 1. */
export type Mark = { line: number; severity: 'error' | 'warning'; text: string }
/** A line to show. Each new object selects its line again. */
export type Place = { line: number }

export type CodeProps = {
  /** The name of the file. It decides about the language. */
  name: string
  /** The accessible name. */
  label: string
  text: string
  readOnly: boolean
  /** Takes the focus when it appears with it, and again with each new object. */
  focusOn?: object | undefined
  place?: Place | undefined
  marks?: readonly Mark[]
  /** The words that can be completed at a place of an HCL file. */
  complete?: Complete
  onChange: (text: string) => void
}
/** `before`: the text of the line up to the cursor. */
export type Complete = (before: string) => Completed | undefined
/** `from`: where in `before` the completed word begins. */
export type Completed = {
  from: number
  /** What is after a dot is suggested before its first letter is typed. */
  isAfterDot: boolean
  options: ReadonlyArray<{
    label: string
    type: 'variable' | 'property' | 'class'
    detail?: string
  }>
}
