import { plainLine } from '../parts/plain-text.ts'

/** What a form says of a variable. One of an application has no description. */
export type Typed = { value: string; sensitive: boolean; phase: string; description?: string }
/** As it is listed. The value of a sensitive one is null: it is never shown again. */
export type Listed = Omit<Typed, 'value'> & { value: string | null; updatedAt: string }

/**
 * What a form changes of the variable as the person has `seen` it, and no more. A value that is sent without
 * having been changed would revert the change of another person, and void approvals.
 */
export function variableChange<T extends Typed>(typed: T, seen: Listed): Partial<T> {
  const changed = Object.entries(typed).filter(([field, now]) =>
    field === 'value'
      ? isOtherValue(typed.value, seen)
      : now !== seen[field as Exclude<keyof Typed, 'value'>],
  )
  // Fields of `typed` with their own values.
  return Object.fromEntries(changed) as Partial<T>
}

/** An empty field keeps a sensitive value. One that became sensitive meanwhile is not known, so any replaces it. */
function isOtherValue(typed: string, { value, sensitive }: Listed): boolean {
  if (sensitive && typed === '') return false
  return value === null || typed !== inField(value)
}

/** With the line ends of a text field. */
const inField = (value: string): string => value.replaceAll(/\r\n?/g, '\n')

type Both<T> = { seen: T; stored: T }

/**
 * Why a change is not sent: another person has changed the same since it was `seen`. Undefined if nobody
 * has, or if both changed it to the same.
 */
export function whyOvertaken(change: Partial<Typed>, both: Both<Listed>): string | undefined {
  const facts = overtakenIn(change, both).map((field) => factOf(field, both.stored))
  if (facts.length === 0) return undefined
  return `Another person changed this variable meanwhile: ${facts.join(', and ')}. Nothing was saved. Save again to replace theirs with yours.`
}

/**
 * What a person has seen once they were told why a change was not sent. The next save compares with it: a field
 * that they set back to its first value is a change by then, and the fields that they were not told of are none.
 */
export function seenAfter<T extends Listed>(change: Partial<Typed>, { seen, stored }: Both<T>): T {
  const told = overtakenIn(change, { seen, stored })
  return {
    ...seen,
    ...Object.fromEntries(told.map((field) => [field, stored[field]])),
    ...(told.includes('value') && { updatedAt: stored.updatedAt }),
  }
}

type Compared = 'value' | 'phase' | 'description'

const overtakenIn = (change: Partial<Typed>, { seen, stored }: Both<Listed>): Compared[] =>
  (['value', 'phase', 'description'] as const).filter((field) => {
    if (change[field] === undefined || change[field] === stored[field]) return false
    // A value that is not shown could be the change of any other save.
    if (field === 'value' && stored.value === null) return stored.updatedAt !== seen.updatedAt
    return stored[field] !== seen[field]
  })

function factOf(field: Compared, stored: Listed): string {
  if (field === 'value' && stored.value === null) return 'its value, which is not shown, may be new'
  const text = plainLine(stored[field] ?? '')
  if (field === 'phase') return 'it is given to other steps now'
  return text === '' ? `its ${field} is empty now` : `its ${field} is “${text}” now`
}
