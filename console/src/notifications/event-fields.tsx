import { useState } from 'react'
import { Check } from '../parts/forms.tsx'
import { eventWords, isTold } from './notification-words.ts'

/** What a channel is told of: everything, or these events. */
export function EventFields({ events }: { events: readonly string[] }) {
  const [all, setAll] = useState(events.includes('*'))
  return (
    <fieldset className="choices">
      <legend className="label">Events</legend>
      <Check
        label="Everything, also what later versions add"
        name="allEvents"
        checked={all}
        onChange={({ target }) => setAll(target.checked)}
      />
      {!all &&
        eventWords.map(({ event, words }) => (
          <Check
            key={event}
            label={words}
            name="event"
            value={event}
            defaultChecked={events.includes('*') ? false : isTold(events, event)}
          />
        ))}
    </fieldset>
  )
}

/** The chosen events; undefined where they are those of before, whose patterns then stay as they were written. */
export function eventsIn(form: FormData, before: readonly string[]): string[] | undefined {
  if (form.get('allEvents') !== null) return before.includes('*') ? undefined : ['*']
  const chosen = new Set(form.getAll('event').map(String))
  const isSame = eventWords.every(({ event }) => chosen.has(event) === isTold(before, event))
  return isSame && !before.includes('*') ? undefined : [...chosen]
}
