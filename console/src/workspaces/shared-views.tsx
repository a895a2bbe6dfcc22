import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import type { SharedView } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { workspacesSearch, type WorkspacesSearch } from './workspaces-search.ts'
import { plainLine } from '../parts/plain-text.ts'

export const sharedViewsQuery = queryOptions({
  queryKey: ['workspace-views'],
  queryFn: ({ signal }) => call('listWorkspaceViews', { signal }),
})

/** A view that all members of the organization have. */
export type ViewForAll = Omit<SharedView, 'search'> & { search: WorkspacesSearch }

export function useSharedViews(): ViewForAll[] {
  const { data } = useQuery(sharedViewsQuery)
  return data?.views.map((view) => ({ ...view, search: workspacesSearch(view.search) })) ?? []
}

/** Who shared the view that is shown, and its removal. */
export function SharedViewShown({ view: { id, name, sharedBy } }: { view: ViewForAll }) {
  const { may } = useMe()
  const navigate = useNavigate()
  return (
    <>
      <span className="dim">
        Shared by <bdi>{plainLine(sharedBy)}</bdi>
      </span>
      {may('mutate_infra') && (
        <ConfirmButton
          label="Stop sharing…"
          title={`Stop sharing ${plainLine(name)}?`}
          act="Stop sharing"
          run={async () => call('removeWorkspaceView', { params: { id } })}
          refresh={sharedViewsQuery.queryKey}
          onDone={() => void navigate({ to: '/workspaces', search: {}, replace: true })}
        >
          The view disappears for all members. No workspace is changed.
        </ConfirmButton>
      )}
    </>
  )
}
