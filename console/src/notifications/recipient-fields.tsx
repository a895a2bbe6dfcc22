import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleQuery } from '../api/queries.ts'
import { capabilityWords } from '../api/roles.ts'
import { useSettled } from '../parts/filter-box.tsx'
import { Button, Check, Field, Select, textIn } from '../parts/forms.tsx'
import type { Body } from '../api/call.ts'
import { personQuery } from '../users/person-query.ts'
import { rolesInWords } from './notification-words.ts'
import type { Channel } from './queries.ts'

type Recipients = NonNullable<Body<'createNotification'>['recipients']>

/** Who is mailed, and how often. */
export function RecipientFields({ channel }: { channel: Channel | undefined }) {
  const before = channel?.recipients
  return (
    <>
      <Select
        label="By role"
        name="capability"
        defaultValue={before ? (before.capability ?? '') : 'manage_cloud_accounts'}
      >
        <option value="">nobody by role</option>
        {capabilityWords.map(([capability]) => (
          <option key={capability} value={capability}>
            {rolesInWords(capability)}
          </option>
        ))}
      </Select>
      <People before={before?.userIds ?? []} />
      <Check
        label="Authors of the runs that an event names"
        name="owners"
        defaultChecked={before?.owners ?? true}
      />
      <Check
        label="One mail a day, except for what is urgent"
        name="daily"
        defaultChecked={channel ? channel.digest === 'daily' : true}
      />
    </>
  )
}

const shownPeople = 6
const maxPeople = 100

/** People by name. Those who are chosen are hidden fields of the form. */
function People({ before }: { before: readonly number[] }) {
  const [chosen, setChosen] = useState<readonly number[]>(before)
  const [text, setText] = useState('')
  const add = (id: number) => {
    setChosen([...chosen, id])
    setText('')
  }
  return (
    <div className="choices">
      <Field
        label="And these people"
        type="search"
        value={text}
        autoComplete="off"
        placeholder="Name or address"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {text !== '' && chosen.length < maxPeople && (
        <FoundPeople text={text} chosen={chosen} onAdd={add} />
      )}
      <ChosenPeople
        chosen={chosen}
        onRemove={(id) => setChosen(chosen.filter((one) => one !== id))}
      />
    </div>
  )
}

type FoundProps = { text: string; chosen: readonly number[]; onAdd: (id: number) => void }

function FoundPeople({ text, chosen, onAdd }: FoundProps) {
  const q = useSettled(text)
  const found = useInfiniteQuery({ ...peopleQuery(q), enabled: q !== '' })
  const people = (found.data?.pages[0]?.users ?? []).filter(
    ({ id, active, email }) => active && email !== null && !chosen.includes(id),
  )
  return (
    <ul className="found-people" aria-label="People found">
      {people.slice(0, shownPeople).map(({ id, name, email }) => (
        <li key={id}>
          <span>
            {name} {email !== name && <span className="dim">{email}</span>}
          </span>
          <Button aria-label={`Add ${name}`} onClick={() => onAdd(id)}>
            Add
          </Button>
        </li>
      ))}
      {people.length === 0 && (
        <li className="dim">{found.isSuccess ? 'Nobody is found.' : 'Looking…'}</li>
      )}
    </ul>
  )
}

type ChosenProps = { chosen: readonly number[]; onRemove: (id: number) => void }

function ChosenPeople({ chosen, onRemove }: ChosenProps) {
  const named = useQueries({ queries: chosen.map((id) => personQuery(id)) })
  if (chosen.length === 0) return null
  return (
    <ul className="found-people" aria-label="People chosen">
      {chosen.map((id, at) => {
        const name = named[at]?.data?.user.name ?? (named[at]?.isError ? 'a former member' : '…')
        return (
          <li key={id}>
            <input type="hidden" name="userId" value={id} />
            <span>{name}</span>
            <Button aria-label={`Remove ${name}`} onClick={() => onRemove(id)}>
              Remove
            </Button>
          </li>
        )
      })}
    </ul>
  )
}

export function recipientsIn(form: FormData): Recipients {
  const [capability] =
    capabilityWords.find(([one]) => one === textIn(form, 'capability')) ?? ([null] as const)
  return {
    userIds: form.getAll('userId').map(Number),
    capability,
    owners: form.get('owners') !== null,
  }
}
