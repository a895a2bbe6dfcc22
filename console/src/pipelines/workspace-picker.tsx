import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { workspacesQuery } from '../api/queries.ts'
import { useSettled } from '../parts/filter-box.tsx'
import { NamePicker, type Named } from '../parts/name-picker.tsx'

type Props = {
  was: Named | undefined
  /** A choice is no `change` event of the form, because no field was typed into. */
  onTouch?: () => void
}

/** The workspace whose hosts get the releases; none is a choice too. */
export function WorkspacePicker({ was, onTouch }: Props) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(was)
  const query = useInfiniteQuery(workspacesQuery(useSettled(typed)))
  const options = query.data?.pages[0]?.workspaces ?? []
  return (
    <div>
      <NamePicker
        label="Target workspace (optional)"
        placeholder="none: a run ends with its artifact"
        chosen={chosen?.name}
        options={options}
        onType={(text) => setTyped(text ?? '')}
        onChoose={(id) => {
          setChosen(options.find((one) => one.id === id))
          onTouch?.()
        }}
      />
      <p className="hint">
        A run deploys to the agents of this workspace. Of a production workspace, it waits for a
        second person first.
      </p>
      <input type="hidden" name="targetWorkspaceId" value={chosen?.id ?? ''} />
    </div>
  )
}
