import { useMemo } from 'react'
import { FilterBox, useAddressFilter } from '../parts/filter-box.tsx'
import { Button, Select } from '../parts/forms.tsx'
import { plainText } from '../parts/plain-text.ts'
import { actions, type Action, type Plan } from './plan.ts'
import type { PlanEntry } from './plan-entries.ts'
import { moduleTitle } from './plan-items.ts'
import {
  actionsIn,
  isFiltered,
  modulesOf,
  noFilters,
  typesOf,
  type PlanPatch,
  type PlanSearch,
} from './plan-search.ts'
import { actionLooks } from './plan-words.ts'

type Props = {
  search: PlanSearch
  onSearch: (patch: PlanPatch) => void
  overview: Plan['overview']
  entries: readonly PlanEntry[]
  found: string
  /** A filter has the focus: soon it needs the changes that were not read yet. */
  onTouch: () => void
}

/**
 * One chip for each action of the plan, with its count, and one for what is imported, whatever its action is.
 * Several can be pressed.
 */
export function ActionChips({
  search,
  onSearch,
  overview,
}: Pick<Props, 'search' | 'onSearch' | 'overview'>) {
  const chosen = actionsIn(search)
  const present = actions.filter(
    (action) => overview.actions[action] > 0 || chosen.includes(action),
  )
  const { imports = 0 } = overview
  if (present.length === 0) return null
  const turn = (action: Action) => {
    const next = actions.filter((one) => (one === action) !== chosen.includes(one))
    onSearch({ action: next.join(',') })
  }
  return (
    <div className="chips" role="group" aria-label="Show only these actions">
      {present.map((action) => {
        const { sign, tone, chip } = actionLooks[action]
        return (
          <button
            key={action}
            type="button"
            className="chip"
            aria-pressed={chosen.includes(action)}
            onClick={() => turn(action)}
          >
            <span className={`sign ${tone}`} aria-hidden="true">
              {sign}
            </span>
            {chip} <span className="num">{overview.actions[action].toLocaleString()}</span>
          </button>
        )
      })}
      {(imports > 0 || search.imported) && (
        <button
          type="button"
          className="chip"
          aria-pressed={search.imported !== undefined}
          onClick={() => onSearch({ imported: search.imported ? undefined : 'only' })}
        >
          Imported <span className="num">{imports.toLocaleString()}</span>
        </button>
      )}
    </div>
  )
}

/** The filters of a long plan. */
export function PlanFilters({
  search,
  onSearch,
  entries,
  found,
  onTouch,
}: Omit<Props, 'overview'>) {
  const write = (name: 'find' | 'value' | 'type' | 'module') => (value?: string) =>
    onSearch({ [name]: value })
  const address = useAddressFilter(search.find, write('find'))
  const value = useAddressFilter(search.value, write('value'))
  const types = useMemo(() => typesOf(entries), [entries])
  const modules = useMemo(() => modulesOf(entries), [entries])
  return (
    <>
      <div className="plan-filters" onFocus={onTouch}>
        <FilterBox
          label="Filter by address"
          value={address.filter}
          onChange={address.setFilter}
          found=""
        />
        <input
          type="search"
          aria-label="Filter by attribute or value"
          placeholder="Attribute or value"
          value={value.filter}
          onChange={(event) => value.setFilter(event.target.value)}
        />
        <Choice
          label="Type"
          all="All types"
          value={search.type}
          options={types}
          onChange={write('type')}
        />
        <Choice
          label="Module"
          all="All modules"
          value={search.module}
          options={modules}
          title={moduleTitle}
          onChange={write('module')}
        />
      </div>
      <p className="plan-found">
        <span role="status" className="dim num">
          {isFiltered(search) ? found : ''}
        </span>
        {isFiltered(search) && (
          <Button tone="quiet" onClick={() => onSearch(noFilters)}>
            Clear filters
          </Button>
        )}
      </p>
    </>
  )
}

type ChoiceProps = {
  label: string
  all: string
  value: string | undefined
  options: readonly string[]
  title?: (option: string) => string
  onChange: (value: string) => void
}

/** What the address names stays to choose from, also where no change of it was read yet. */
function Choice({ label, all, value, options, title = String, onChange }: ChoiceProps) {
  const offered = value === undefined || options.includes(value) ? options : [value, ...options]
  return (
    <Select
      label={<span className="visually-hidden">{label}</span>}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{all}</option>
      {offered.map((option) => (
        <option key={option} value={option}>
          {plainText(title(option))}
        </option>
      ))}
    </Select>
  )
}
