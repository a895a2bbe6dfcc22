import { useQueryClient } from '@tanstack/react-query'
import { Link, useMatches } from '@tanstack/react-router'
import { pipelineQuery } from '../api/queries.ts'
import type { ErrorAction } from '../words/error-action.ts'

/** Leads to where an error is solved. Nothing where the page knows no workspace. */
export function ErrorActionLink({ action }: { action: ErrorAction }) {
  const id = useWorkspaceId()
  if ('to' in action)
    return (
      <p className="note-action">
        <Link to={action.to} className="button">
          {action.label}
        </Link>
      </p>
    )
  if (id === undefined) return null
  return (
    <p className="note-action">
      <Link to="/workspaces/$id" params={{ id }} search={{ tab: action.tab }} className="button">
        {action.label}
      </Link>
    </p>
  )
}

/** The workspace of the page: its own, or that of the pipeline. */
function useWorkspaceId(): number | undefined {
  const queryClient = useQueryClient()
  const match = useMatches().findLast(({ params }) => 'id' in params)
  const id = match && 'id' in match.params ? match.params.id : undefined
  if (match === undefined || id === undefined) return undefined
  if (match.fullPath.startsWith('/workspaces/')) return id
  if (!match.fullPath.startsWith('/pipelines/')) return undefined
  const { queryKey } = pipelineQuery(id)
  return queryClient.getQueryData(queryKey)?.pipeline.targetWorkspaceId ?? undefined
}
