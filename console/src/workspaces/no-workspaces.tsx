import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../app/session.ts'
import { Empty } from '../parts/notes.tsx'
import { isFiltered, type WorkspacesSearch } from './workspaces-search.ts'

type Props = { search: WorkspacesSearch; children: ReactNode }

/** What an empty list says, and the next step. */
export function NoWorkspaces({ search, children }: Props) {
  const { may } = useMe()
  if (isFiltered(search))
    return (
      <Empty title="No workspace matches">
        <Link to="/workspaces" search={search.view ? { view: search.view } : {}} replace>
          Clear all filters
        </Link>
      </Empty>
    )
  if (search.view === 'favorites')
    return (
      <Empty title="No favorites yet">
        <p>The star beside a workspace puts it here. Favorites are kept in this browser only.</p>
      </Empty>
    )
  if (search.view === 'recent')
    return (
      <Empty title="No recent workspaces">
        <p>Workspaces that you opened in this browser are listed here.</p>
      </Empty>
    )
  return (
    <Empty title="No workspaces yet">
      <p>
        A workspace holds the files, the variables and the state of one piece of infrastructure.
      </p>
      {may('mutate_infra') ? (
        children
      ) : (
        <p>Ask a person with the role Deployer or higher to create the first one.</p>
      )}
    </Empty>
  )
}
