import { memo, useId } from 'react'
import { plural } from '../api/words.ts'
import { plainText } from '../parts/plain-text.ts'
import { AttributeTable } from './attribute-table.tsx'
import type { PlannedResource } from './plan.ts'
import type { PlanEntry } from './plan-entries.ts'
import { actionLooks, sentencesOf } from './plan-words.ts'

/** What else is known of a resource: shown at the end of its row. */
export type Beside = (resource: PlannedResource) => React.ReactNode

type Props = {
  entry: PlanEntry
  isOpen: boolean
  onTurn: (key: string) => void
  beside?: Beside | undefined
}

/** One change: a row that opens. Memoized, because a scroll renders all rows near the window. */
export const PlanRow = memo(function PlanRow({ entry, isOpen, onTurn, beside }: Props) {
  const { key, name, action, part, attributes, omittedAttributes, resource } = entry
  const id = useId()
  const look = actionLooks[action]
  const [sign, tone] = part === 'drift' ? ['!', 'quiet'] : [look.sign, look.tone]
  const shown = plainText(name)
  return (
    <div className={`plan-row ${isOpen ? 'open' : ''}`}>
      <button
        type="button"
        className="plan-toggle"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => onTurn(key)}
      >
        <span className="chevron" aria-hidden="true" />
        <span className={`sign ${tone}`} aria-hidden="true">
          {sign}
        </span>
        <span className="visually-hidden">
          {part === 'drift' ? 'Changed outside' : look.chip}:{' '}
        </span>
        <code className="address" title={isOpen ? undefined : shown}>
          {shown}
        </code>
        <span className="plan-about">
          {resource?.previousAddress && <span className="dim">moved</span>}
          {resource?.importing && <span className="tag">imported</span>}
          {attributes.some(({ forcesReplacement }) => forcesReplacement) && (
            <span className="tag bad">forces replacement</span>
          )}
          <span className="dim num">
            {plural(attributes.length + omittedAttributes, 'attribute')}
          </span>
          {resource && part === 'resource' && beside?.(resource)}
        </span>
      </button>
      {isOpen && (
        <div className="plan-detail" id={id}>
          <Opened entry={entry} />
        </div>
      )}
    </div>
  )
})

function Opened({ entry }: { entry: PlanEntry }) {
  const { name, part, action, attributes, omittedAttributes, resource } = entry
  const shown = part === 'drift' ? `${plainText(name)}, changed outside` : plainText(name)
  const sentences = resource ? sentencesOf(resource) : []
  const { previousAddress, importing } = resource ?? {}
  return (
    <>
      {(sentences.length > 0 || previousAddress || importing) && (
        <p className="plan-why">
          {sentences.join(' ')}
          {previousAddress && (
            <>
              {' '}
              It was <code>{plainText(previousAddress)}</code> before.
            </>
          )}
          {importing && (
            <>
              {' '}
              It exists outside of the state and is imported: <code>{plainText(importing.id)}</code>
            </>
          )}
        </p>
      )}
      {(attributes.length > 0 || omittedAttributes === 0) && (
        <AttributeTable attributes={attributes} action={action} name={shown} />
      )}
      {omittedAttributes > 0 && (
        <p className="dim pad">{plural(omittedAttributes, 'more attribute')} not shown.</p>
      )}
    </>
  )
}
