import { Link, useNavigate } from '@tanstack/react-router'
import { costChoices, type CostSearch } from '../app/searches.ts'
import { DayField } from '../parts/day-field.tsx'
import { Select } from '../parts/forms.tsx'
import { basisWords, groupWords, ownerWords } from './cost-words.ts'
import { withDays } from './with-days.ts'
import { PeriodField } from './period-field.tsx'

type CostPlace = '/cost' | '/cost/unmanaged'
type FilterProps = {
  search: CostSearch
  /** The page that is filtered. That of unmanaged cost has its own groups. */
  to?: CostPlace
  /** The days that are shown, also where none were asked for. */
  window: { from?: string; to?: string }
}

/** Period, dimension and basis, and what the page is narrowed to. */
export function CostFilter({ search, window, to = '/cost' }: FilterProps) {
  const navigate = useNavigate()
  const show = (changed: CostSearch) => void navigate({ to, search: changed })
  return (
    <>
      <form className="cost-filter" onSubmit={(event) => event.preventDefault()}>
        <PeriodField search={search} onShow={show} />
        <DayField
          label="From"
          value={search.from ?? window.from}
          onDay={(from) => show(withDays(search, { from }))}
        />
        <DayField
          label="To"
          value={search.to ?? window.to}
          onDay={(to) => show(withDays(search, { to }))}
        />
        {to === '/cost' && (
          <Select
            label="By"
            value={search.groupBy ?? 'service'}
            onChange={({ target }) => {
              const groupBy = costChoices.groupBy.find((one) => one === target.value)
              if (groupBy) show({ ...search, groupBy })
            }}
          >
            {costChoices.groupBy.map((one) => (
              <option key={one} value={one}>
                {groupWords[one]}
              </option>
            ))}
          </Select>
        )}
        <Select
          label="Basis"
          value={search.basis ?? 'effective'}
          onChange={({ target }) => {
            const basis = costChoices.basis.find((one) => one === target.value)
            if (basis) show({ ...search, basis })
          }}
        >
          {costChoices.basis.map((one) => (
            <option key={one} value={one}>
              {basisWords[one]}
            </option>
          ))}
        </Select>
      </form>
      <Narrowing search={search} to={to} />
    </>
  )
}

const narrowing = {
  provider: 'Cloud',
  service: 'Service',
  accountId: 'Account',
  source: 'Upload',
  subAccountId: 'Sub-account',
  region: 'Region',
  workspaceId: 'Workspace',
  chargeCategory: 'Charge category',
  owner: 'Held',
} as const

/** What the page is narrowed to, each with a link that widens it again. */
function Narrowing({ search, to }: { search: CostSearch; to: CostPlace }) {
  // `Object.keys` returns strings, and these are exactly the keys of the record.
  const fields = (Object.keys(narrowing) as Array<keyof typeof narrowing>).filter(
    (field) => search[field] !== undefined,
  )
  const { tagKey, tagValue, untagged } = search
  const byTag = tagKey !== undefined && (to === '/cost' || tagValue !== undefined || untagged)
  if (fields.length === 0 && !byTag) return null
  return (
    <ul className="cost-narrowing" aria-label="Narrowed to">
      {fields.map((field) => {
        const { [field]: _value, ...rest } = search
        return (
          <li key={field} className="tag">
            {narrowing[field]}: {wordsOf(search, field)}{' '}
            <Widen to={to} search={rest} what={narrowing[field]} />
          </li>
        )
      })}
      {byTag && (
        <TagNarrowing to={to} search={search} words={tagWords(tagKey, { tagValue, untagged })} />
      )}
    </ul>
  )
}

function wordsOf(search: CostSearch, field: keyof typeof narrowing): string {
  const value = search[field]
  if (field === 'owner' && search.owner) return ownerWords(search.owner)
  return value === '' ? 'none' : String(value)
}

const tagWords = (
  key: string,
  { tagValue, untagged }: { tagValue: string | undefined; untagged: true | undefined },
): string => (untagged ? `without ${key}` : tagValue === undefined ? key : `${key}=${tagValue}`)

type TagProps = { to: CostPlace; search: CostSearch; words: string }

function TagNarrowing({ to, search, words }: TagProps) {
  const { tagKey: _key, tagValue: _value, untagged: _untagged, ...rest } = search
  return (
    <li className="tag">
      Tag: {words} <Widen to={to} search={rest} what="Tag" />
    </li>
  )
}

function Widen({ to, search, what }: { to: CostPlace; search: CostSearch; what: string }) {
  return (
    <Link to={to} search={search} aria-label={`Remove the filter ${what}`}>
      ×
    </Link>
  )
}
