import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { Choices } from '../parts/choices.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import { most, withView, type OwnLists } from './own-lists.ts'
import { sharedViewsQuery } from './shared-views.tsx'
import type { WorkspacesSearch } from './workspaces-search.ts'

type Props = {
  search: WorkspacesSearch
  lists: OwnLists
  change: (next: (lists: OwnLists) => OwnLists) => void
  onClose: () => void
}

const readers = [
  {
    value: 'me',
    label: 'Only you',
    words: 'It is kept in this browser, and is on no other device.',
  },
  {
    value: 'all',
    label: 'All members',
    words: 'It is in the list of everybody in the organization.',
  },
] as const

/** Gives the filters and the order a name, for oneself or for all members. */
export function SaveView({ search, lists, change, onClose }: Props) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const [readBy, setReadBy] = useState<'me' | 'all'>('me')
  // Favorites and recent workspaces are lists of one person.
  const { view, ...shared } = search
  const mayShare = may('mutate_infra') && view === undefined
  const save = useMutation({
    mutationFn: async (name: string) => {
      if (readBy === 'me') change((now) => withView(now, { name, search }))
      else await call('shareWorkspaceView', { body: { name, search: shared } })
    },
    onSuccess: async () => {
      onClose()
      await queryClient.invalidateQueries({ queryKey: sharedViewsQuery.queryKey })
    },
  })
  const replaced = lists.views.length < most.views ? undefined : lists.views[0]?.name
  return (
    <FormDialog
      title="Save this view"
      act="Save view"
      doing={save}
      onSubmit={(form) => save.mutate(textIn(form, 'name').trim())}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={most.nameLength}
        pattern=".*\S.*"
        title="Not only spaces"
        autoComplete="off"
        {...(readBy === 'me' && { hint: hintOf(replaced) })}
      />
      {mayShare ? (
        <Choices
          name="readBy"
          legend="Who sees it?"
          options={readers}
          value={readBy}
          onChange={setReadBy}
        />
      ) : (
        <p className="hint">
          It is kept in this browser. Nobody else sees it, and it is on no other device.
        </p>
      )}
    </FormDialog>
  )
}

/** `replaced` is the oldest view, once there are as many as are kept. */
const hintOf = (replaced: string | undefined): string =>
  replaced === undefined
    ? 'A view of yours with the same name is replaced.'
    : `A view of yours with the same name is replaced. With another name, this view replaces "${replaced}", the oldest of ${most.views}.`
