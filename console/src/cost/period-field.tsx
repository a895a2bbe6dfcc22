import type { CostSearch } from '../app/searches.ts'
import { Select } from '../parts/forms.tsx'
import { periods } from './cost-words.ts'

type Days = Pick<CostSearch, 'from' | 'to'>
type Props<Search> = { search: Search; onShow: (search: Omit<Search, keyof Days> & Days) => void }

/** Days by name, such as the last month. */
export function PeriodField<Search extends Days>({ search, onShow }: Props<Search>) {
  const named = periods(new Date())
  const current = named.findIndex(({ from, to }) => from === search.from && to === search.to)
  const { from: _from, to: _to, ...open } = search
  return (
    <Select
      label="Period"
      value={current}
      onChange={({ target }) => {
        const chosen = named[Number(target.value)]
        if (!chosen) return
        const { from, to } = chosen
        onShow({ ...open, ...(from && { from }), ...(to && { to }) })
      }}
    >
      {named.map(({ label }, index) => (
        <option key={label} value={index}>
          {label}
        </option>
      ))}
      {current === -1 && <option value={-1}>Days of your own</option>}
    </Select>
  )
}
