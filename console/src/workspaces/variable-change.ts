import { plainLine } from '../parts/plain-text.ts'

/** What a form says of a variable. One of an application has no description. */
type Typed = { value: string; sensitive: boolean; phase: string; description?: string }
/** As it is listed. The value of a sensitive one is null: it is never shown again. */
type Listed = Omit<Typed, 'value'> & { value: string | null; updatedAt: string }

/**
 * What a form changes of the variable that it was opened with, and no more. A value that is sent without
 * having been changed would revert the change of another person, and void approvals.
 */
export function variableChange<T extends Typed>(typed: T, opened: Listed): Partial<T> {
  const changed = Object.entries(typed).filter(([field, now]) =>
    field === 'value'
      ? typed.value !== shownValue(opened)
      : now !== opened[field as Exclude<keyof Typed, 'value'>],
  )
  // Fields of `typed` with their own values.
  return Object.fromEntries(changed) as Partial<T>
}

/** As the form shows it: empty for a sensitive one, and with the line ends of a text field. */
const shownValue = ({ value }: Listed): string => (value ?? '').replaceAll(/\r\n?/g, '\n')

/**
 * Why a change is not sent: another person has changed the same since it was `seen`. Undefined if nobody
 * has, or if both changed it to the same.
 */
export function whyOvertaken(
  change: Partial<Typed>,
  { seen, stored }: { seen: Listed; stored: Listed },
): string | undefined {
  const facts = (['value', 'phase', 'description'] as const).flatMap((field) => {
    if (change[field] === undefined || change[field] === stored[field]) return []
    // A value that is not shown could be the change of any other save.
    if (field === 'value' && stored.value === null)
      return stored.updatedAt === seen.updatedAt
        ? []
        : ['its value, which is not shown, may be new']
    return stored[field] === seen[field] ? [] : [factOf(field, stored)]
  })
  if (facts.length === 0) return undefined
  return `Another person changed this variable meanwhile: ${facts.join(', and ')}. Nothing was saved. Save again to replace theirs with yours.`
}

function factOf(field: 'value' | 'phase' | 'description', stored: Listed): string {
  const text = plainLine(stored[field] ?? '')
  if (field === 'phase') return 'it is given to other steps now'
  return text === '' ? `its ${field} is empty now` : `its ${field} is “${text}” now`
}
