import { TextField } from './forms.tsx'
import { linesOf, readLabels } from './labels.ts'

export const descriptionLength = 500

/** Labels as lines. A line that is no label is refused before the form is sent. */
export const LabelsField = ({ labels }: { labels: Record<string, string> }) => (
  <TextField
    label="Labels"
    name="labels"
    defaultValue={linesOf(labels)}
    spellCheck={false}
    hint="One a line, as team=payments. Lists can be narrowed to them. At most 20."
    onChange={({ currentTarget }) => {
      const read = readLabels(currentTarget.value)
      currentTarget.setCustomValidity('fault' in read ? read.fault : '')
    }}
  />
)

/** What changed of the labels and the description of a form. */
export function describedIn(
  { labels: text, description }: { labels: string; description: string },
  was: { labels: Record<string, string>; description: string },
): { labels?: Record<string, string>; description?: string } {
  const read = readLabels(text)
  const isOther = 'labels' in read && linesOf(read.labels) !== linesOf(was.labels)
  return {
    ...(isOther && { labels: read.labels }),
    ...(description !== was.description && { description }),
  }
}
