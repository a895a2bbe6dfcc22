import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { most, withoutView, withView, type OwnLists } from './own-lists.ts'
import { isSameSearch, type WorkspacesSearch } from './workspaces-search.ts'

type Props = {
  search: WorkspacesSearch
  lists: OwnLists
  change: (next: (lists: OwnLists) => OwnLists) => void
}

/** All workspaces, the person's own lists, and the filters that they gave a name. */
export function WorkspaceViews({ search, lists, change }: Props) {
  const [isNaming, setNaming] = useState(false)
  const navigate = useNavigate()
  const shown = lists.views.find((view) => isSameSearch(view.search, search))
  const current = shown ? undefined : (search.view ?? 'all')
  const { view: _view, ...filters } = search
  const isWorthSaving = !shown && Object.keys(filters).length > 0
  return (
    <div className="view-bar">
      <Tabs label="Views of the list">
        <View name="All" search={{}} isCurrent={current === 'all'} />
        <View name="Favorites" search={{ view: 'favorites' }} isCurrent={current === 'favorites'} />
        <View name="Recent" search={{ view: 'recent' }} isCurrent={current === 'recent'} />
        {lists.views.map((view) => (
          <View
            key={view.name}
            name={view.name}
            search={view.search}
            isCurrent={view.name === shown?.name}
          />
        ))}
      </Tabs>
      {isWorthSaving && <Button onClick={() => setNaming(true)}>Save this view…</Button>}
      {shown && (
        <Button
          onClick={() => {
            change((now) => withoutView(now, shown.name))
            void navigate({ to: '/workspaces', search: {}, replace: true })
          }}
        >
          Remove this view
        </Button>
      )}
      {isNaming && (
        <NameView
          replaced={lists.views.length < most.views ? undefined : lists.views[0]?.name}
          onName={(name) => change((now) => withView(now, { name, search }))}
          onClose={() => setNaming(false)}
        />
      )}
    </div>
  )
}

type ViewProps = { name: string; search: WorkspacesSearch; isCurrent: boolean }

function View({ name, search, isCurrent }: ViewProps) {
  return (
    <Link
      to="/workspaces"
      search={search}
      // The router would call each link current whose search is a part of the address.
      activeOptions={{ exact: true }}
      className={isCurrent ? 'tab current' : 'tab'}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <bdi>{name}</bdi>
    </Link>
  )
}

type NameViewProps = {
  /** The oldest view, once there are as many as are kept. */
  replaced: string | undefined
  onName: (name: string) => void
  onClose: () => void
}

function NameView({ replaced, onName, onClose }: NameViewProps) {
  return (
    <FormDialog
      title="Save this view"
      description={
        <p>
          Saved views, favorites and recent workspaces are kept in this browser. Nobody else sees
          them, and they are not on your other devices.
        </p>
      }
      act="Save view"
      doing={{ isPending: false, error: null }}
      onSubmit={(form) => {
        onName(textIn(form, 'name').trim())
        onClose()
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={most.nameLength}
        pattern=".*\S.*"
        autoComplete="off"
        hint={
          replaced === undefined
            ? 'A view of the same name is replaced.'
            : `A view of the same name is replaced. With another name, this view replaces "${replaced}", the oldest of ${most.views}.`
        }
      />
    </FormDialog>
  )
}
