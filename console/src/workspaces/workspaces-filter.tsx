import type { Workspace } from '../api/types.ts'
import { Select } from '../parts/forms.tsx'
import { LabelFilter } from '../parts/label-filter.tsx'
import { lastRunStates, type WorkspacesSearch } from './workspaces-search.ts'

type Props = {
  search: WorkspacesSearch
  /** Those that the list shows. */
  rows: readonly Workspace[]
  onChange: (search: WorkspacesSearch) => void
}

export function WorkspacesFilter({ search, rows, onChange }: Props) {
  const { state, criticality, ...others } = search
  return (
    <>
      <Select
        label="Last run"
        value={state ?? ''}
        onChange={({ target: { value } }) =>
          onChange({
            ...others,
            ...(criticality && { criticality }),
            ...(value && { state: value }),
          })
        }
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
        rows={rows}
        onChange={(label) => {
          const { label: _before, ...rest } = search
          onChange({ ...rest, ...(label.length > 0 && { label }) })
        }}
      />
    </>
  )
}
