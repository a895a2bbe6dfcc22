import { Select } from '../parts/forms.tsx'
import { LabelFilter } from '../parts/label-filter.tsx'
import { lastRunState, lastRunStates, type WorkspacesSearch } from './workspaces-search.ts'

type Props = {
  search: WorkspacesSearch
  onChange: (search: WorkspacesSearch) => void
}

export function WorkspacesFilter({ search, onChange }: Props) {
  const { state, criticality, ...others } = search
  return (
    <>
      <Select
        label="Last run"
        value={state ?? ''}
        onChange={({ target: { value } }) => {
          const chosen = lastRunState(value)
          onChange({
            ...others,
            ...(criticality && { criticality }),
            ...(chosen && { state: chosen }),
          })
        }}
      >
        <option value="">all</option>
        {Object.entries(lastRunStates).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        label="Criticality"
        value={criticality ?? ''}
        onChange={({ target: { value } }) =>
          onChange({
            ...others,
            ...(state && { state }),
            ...((value === 'production' || value === 'standard') && { criticality: value }),
          })
        }
      >
        <option value="">all</option>
        <option value="production">production</option>
        <option value="standard">standard</option>
      </Select>
      <LabelFilter
        chosen={search.label ?? []}
        of={['workspaces']}
        onChange={(label) => {
          const { label: _before, ...rest } = search
          onChange({ ...rest, ...(label.length > 0 && { label }) })
        }}
      />
    </>
  )
}
