import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { workspaceQuery } from '../api/queries.ts'
import { DayField } from '../parts/day-field.tsx'
import { useSettled } from '../parts/filter-box.tsx'
import { Select } from '../parts/forms.tsx'
import { LabelFilter } from '../parts/label-filter.tsx'
import { NamePicker } from '../parts/name-picker.tsx'
import { personQuery } from '../users/person-query.ts'
import { listedEnds, listedOrigins, listedStates, type RunsSearch } from './runs-search.ts'

type Props = { search: RunsSearch; onChange: (search: RunsSearch) => void }

const maxOffered = 8

export function AllRunsFilter({ search, onChange }: Props) {
  /** Without the value, the parameter leaves the address. */
  const change = (name: Exclude<keyof RunsSearch, 'label'>, value: string | number | undefined) => {
    const { [name]: _before, ...others } = search
    onChange({ ...others, ...(value && { [name]: value }) })
  }
  return (
    <>
      <Choices label="State" name="state" choices={listedStates} {...{ search, change }} />
      <Choices label="Started by" name="origin" choices={listedOrigins} {...{ search, change }} />
      <WorkspaceFilter chosen={search.workspace} onChoose={(id) => change('workspace', id)} />
      <AuthorFilter chosen={search.author} onChoose={(id) => change('author', id)} />
      <LabelFilter
        chosen={search.label ?? []}
        of={['workspaces', 'pipelines']}
        onChange={(label) => {
          const { label: _before, ...others } = search
          onChange({ ...others, ...(label.length > 0 && { label }) })
        }}
      />
      <DayField label="From" value={search.from} onDay={(day) => change('from', day)} />
      <DayField label="To" value={search.to} onDay={(day) => change('to', day)} />
      <Choices label="Ended" name="ended" choices={listedEnds} {...{ search, change }} />
      <Select
        label="Order"
        value={search.sort ?? ''}
        onChange={({ target }) => change('sort', target.value)}
      >
        <option value="">newest first</option>
        <option value="oldest">oldest first</option>
      </Select>
    </>
  )
}

type ChosenOf = 'state' | 'origin' | 'ended'
type ChoicesProps = {
  label: string
  name: ChosenOf
  choices: Record<string, { label: string }>
  search: RunsSearch
  change: (name: ChosenOf, value: string) => void
}

function Choices({ label, name, choices, search, change }: ChoicesProps) {
  return (
    <Select
      label={label}
      value={search[name] ?? ''}
      onChange={({ target }) => change(name, target.value)}
    >
      <option value="">{name === 'ended' ? 'at any time' : 'all'}</option>
      {Object.entries(choices).map(([value, choice]) => (
        <option key={value} value={value}>
          {choice.label}
        </option>
      ))}
    </Select>
  )
}

type PickerProps = { chosen: number | undefined; onChoose: (id: number | undefined) => void }

function WorkspaceFilter({ chosen, onChoose }: PickerProps) {
  const [typed, setTyped] = useState<string>()
  const q = useSettled(typed ?? '')
  const found = useQuery({
    queryKey: ['offered', 'workspaces', q],
    queryFn: ({ signal }) =>
      call('listWorkspaces', { query: { limit: maxOffered, q: q || undefined }, signal }),
    enabled: typed !== undefined,
    placeholderData: keepPreviousData,
  })
  const one = useQuery({ ...workspaceQuery(chosen ?? 0), enabled: chosen !== undefined })
  return (
    <NamePicker
      label="Workspace"
      chosen={chosen ? (one.data?.workspace.name ?? (one.error ? 'unknown' : '…')) : undefined}
      options={found.data?.workspaces ?? []}
      onType={setTyped}
      onChoose={onChoose}
    />
  )
}

function AuthorFilter({ chosen, onChoose }: PickerProps) {
  const [typed, setTyped] = useState<string>()
  const q = useSettled(typed ?? '')
  const found = useQuery({
    queryKey: ['offered', 'people', q],
    queryFn: ({ signal }) =>
      call('listUsers', { query: { limit: maxOffered, q: q || undefined }, signal }),
    enabled: typed !== undefined,
    placeholderData: keepPreviousData,
  })
  const one = useQuery(personQuery(chosen ?? null))
  return (
    <NamePicker
      label="Author"
      chosen={chosen ? (one.data?.user.name ?? (one.error ? 'a former member' : '…')) : undefined}
      options={found.data?.users ?? []}
      onType={setTyped}
      onChoose={onChoose}
    />
  )
}
