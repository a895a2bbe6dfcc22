import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import type { AuditFilter } from '../app/searches.ts'
import { DayField } from '../parts/day-field.tsx'
import { useSettled } from '../parts/filter-box.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { NamePicker } from '../parts/name-picker.tsx'
import { eventGroups } from './audit-areas.ts'

type Props = { filter: AuditFilter; onChange: (filter: AuditFilter) => void }

const maxOffered = 8

/** Adds filters. The chips below name those that are set, and take them away. */
export function AuditFilterFields({ filter, onChange }: Props) {
  const change = (field: keyof AuditFilter, value: string | undefined) => {
    const { [field]: _before, ...others } = filter
    onChange({ ...others, ...(value && { [field]: value }) })
  }
  return (
    <div className="audit-filter" role="search" aria-label="Filters of the audit log">
      <Who onChoose={(id) => change('actor', `user:${id}`)} />
      <Select
        label="What"
        value={filter.event ?? ''}
        onChange={({ target }) => change('event', target.value)}
      >
        <option value="">anything</option>
        <OtherEvent event={filter.event} />
        {eventGroups.map(({ area, label, events }) => (
          <optgroup key={area} label={label}>
            <option value={area}>{label}: all</option>
            {events.map(({ event, name }) => (
              <option key={event} value={event}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      <WorkspacePicker onChoose={(id) => change('target', `workspace:${id}`)} />
      <NamedTarget onName={(name) => change('target', name)} />
      <DayField label="From" value={filter.from} onDay={(day) => change('from', day)} />
      <DayField label="To" value={filter.to} onDay={(day) => change('to', day)} />
    </div>
  )
}

/** A filter of the address that is not among the choices, such as `pipeline.*`. */
function OtherEvent({ event }: { event: string | undefined }) {
  const isListed = eventGroups.some(
    ({ area, events }) => area === event || events.some((one) => one.event === event),
  )
  if (event === undefined || isListed) return null
  return <option value={event}>{event}</option>
}

type Picked = { onChoose: (id: number) => void }

function Who({ onChoose }: Picked) {
  const [typed, setTyped] = useState<string>()
  const q = useSettled(typed ?? '')
  const found = useQuery({
    queryKey: ['offered', 'people', q],
    queryFn: ({ signal }) =>
      call('listUsers', { query: { limit: maxOffered, q: q || undefined }, signal }),
    enabled: typed !== undefined,
    placeholderData: keepPreviousData,
  })
  return (
    <NamePicker
      label="Who"
      chosen={undefined}
      options={found.data?.users ?? []}
      onType={setTyped}
      onChoose={(id) => id !== undefined && onChoose(id)}
    />
  )
}

function WorkspacePicker({ onChoose }: Picked) {
  const [typed, setTyped] = useState<string>()
  const q = useSettled(typed ?? '')
  const found = useQuery({
    queryKey: ['offered', 'workspaces', q],
    queryFn: ({ signal }) =>
      call('listWorkspaces', { query: { limit: maxOffered, q: q || undefined }, signal }),
    enabled: typed !== undefined,
    placeholderData: keepPreviousData,
  })
  return (
    <NamePicker
      label="On a workspace"
      chosen={undefined}
      options={found.data?.workspaces ?? []}
      onType={setTyped}
      onChoose={(id) => id !== undefined && onChoose(id)}
    />
  )
}

/** Any target by its whole name: a person's address, a policy, a cloud account. */
function NamedTarget({ onName }: { onName: (name: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = textIn(new FormData(event.currentTarget), 'target').trim()
    if (name === '') return
    onName(name)
    event.currentTarget.reset()
  }
  return (
    <form onSubmit={submit} className="audit-named">
      <Field label="On anything named" name="target" maxLength={320} autoComplete="off" />
      <Button type="submit">Add</Button>
    </form>
  )
}
