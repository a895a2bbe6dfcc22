import { TextField } from '../parts/forms.tsx'
import { linesOf } from '../parts/labels.ts'
import { readAgentLabels } from './agent-labels.ts'

/** Labels as lines. A line that is no label is refused before the form is sent. */
export const AgentLabelsField = ({ labels = {} }: { labels?: Record<string, string> }) => (
  <TextField
    label="Labels (optional)"
    name="labels"
    defaultValue={linesOf(labels)}
    rows={2}
    spellCheck={false}
    hint="One a line, as role=web. A manifest can deploy to the hosts of some labels alone."
    onChange={({ currentTarget }) => {
      const read = readAgentLabels(currentTarget.value)
      currentTarget.setCustomValidity('fault' in read ? read.fault : '')
    }}
  />
)
