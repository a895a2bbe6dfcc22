import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../parts/forms.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { withoutView, type OwnLists } from './own-lists.ts'
import { SaveView } from './save-view.tsx'
import { SharedViewShown, useSharedViews } from './shared-views.tsx'
import { isSameSearch, type WorkspacesSearch } from './workspaces-search.ts'
import { plainLine } from '../parts/plain-text.ts'

type Props = {
  search: WorkspacesSearch
  lists: OwnLists
  change: (next: (lists: OwnLists) => OwnLists) => void
}

/** All workspaces, the person's own lists, and the filters that members and the person gave a name. */
export function WorkspaceViews({ search, lists, change }: Props) {
  const [isNaming, setNaming] = useState(false)
  const shared = useSharedViews()
  const isShown = (view: { search: WorkspacesSearch }) => isSameSearch(view.search, search)
  const shownShared = shared.find(isShown)
  const shown = shownShared ?? lists.views.find(isShown)
  const current = shown ? undefined : (search.view ?? 'all')
  const { view: _view, ...filters } = search
  const isWorthSaving = !shown && Object.keys(filters).length > 0
  return (
    <div className="view-bar">
      <Tabs label="Views of the list">
        <View name="All" search={{}} isCurrent={current === 'all'} />
        <View name="Favorites" search={{ view: 'favorites' }} isCurrent={current === 'favorites'} />
        <View name="Recent" search={{ view: 'recent' }} isCurrent={current === 'recent'} />
        {shared.map((view) => (
          <View key={view.id} name={view.name} search={view.search} isCurrent={view === shown} />
        ))}
        {lists.views.map((view) => (
          <View key={view.name} name={view.name} search={view.search} isCurrent={view === shown} />
        ))}
      </Tabs>
      {isWorthSaving && <Button onClick={() => setNaming(true)}>Save this view…</Button>}
      {shownShared && <SharedViewShown view={shownShared} />}
      {shown && !shownShared && <OwnViewShown name={shown.name} change={change} />}
      {isNaming && <SaveView {...{ search, lists, change }} onClose={() => setNaming(false)} />}
    </div>
  )
}

type OwnProps = Pick<Props, 'change'> & { name: string }

function OwnViewShown({ name, change }: OwnProps) {
  const navigate = useNavigate()
  return (
    <Button
      onClick={() => {
        change((now) => withoutView(now, name))
        void navigate({ to: '/workspaces', search: {}, replace: true })
      }}
    >
      Remove this view
    </Button>
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
      <bdi>{plainLine(name)}</bdi>
    </Link>
  )
}
