import { useState } from 'react'
import { AttributeTable } from '../../infrastructure/attribute-table.tsx'
import { FilterBox, foundWords, useSettled } from '../../parts/filter-box.tsx'
import { Button } from '../../parts/forms.tsx'
import { plainText } from '../../parts/plain-text.ts'
import type { StateChange } from './state-items.ts'

const atOnce = 100

const marks = {
  create: { sign: '+', word: 'added', tone: 'good-text' },
  destroy: { sign: '−', word: 'gone', tone: 'bad-text' },
  update: { sign: '~', word: 'changed', tone: 'warn-text' },
} as const

type Props = { items: readonly StateChange[]; words: string; compared?: boolean }

/** Addresses that open to their values. A filter finds one among thousands. */
export function StateItemList({ items, words, compared = false }: Props) {
  const [filter, setFilter] = useState('')
  const [shown, setShown] = useState(atOnce)
  const q = useSettled(filter).toLowerCase()
  const found = items.filter(({ address }) => address.toLowerCase().includes(q))
  return (
    <>
      <p>{words}</p>
      {items.length > 10 && (
        <FilterBox
          label="Filter by address"
          value={filter}
          onChange={setFilter}
          found={foundWords(found.length)}
        />
      )}
      <ul className="state-items">
        {found.slice(0, shown).map((item) => (
          <Item key={item.address} item={item} compared={compared} />
        ))}
      </ul>
      {found.length > shown && (
        <div className="more">
          <Button onClick={() => setShown(shown + atOnce)}>
            Show {Math.min(atOnce, found.length - shown)} more of {found.length.toLocaleString()}
          </Button>
        </div>
      )}
    </>
  )
}

function Item({ item, compared }: { item: StateChange; compared: boolean }) {
  // The values of a closed one are not rendered: a state has thousands.
  const [open, setOpen] = useState(false)
  const { address, action, attributes } = item
  const { sign, word, tone } = marks[action]
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {compared && (
            <span className={tone}>
              <span aria-hidden="true">{sign} </span>
              <span className="visually-hidden">{word}: </span>
            </span>
          )}
          <code className="address">{plainText(address)}</code>
        </summary>
        {open && <AttributeTable attributes={attributes} action={action} name={address} />}
      </details>
    </li>
  )
}
