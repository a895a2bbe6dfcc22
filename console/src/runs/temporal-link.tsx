import type { ReactNode } from 'react'
import { useMe } from '../app/session.ts'

/** Temporal's UI shows every organization, so only platform administrators get the link. */
export function useTemporalLink(workflowId: string): string | undefined {
  const { user, temporalUiUrl } = useMe()
  return user.platformAdmin && temporalUiUrl
    ? `${temporalUiUrl}/${encodeURIComponent(workflowId)}`
    : undefined
}

type Props = { workflowId: string; children: ReactNode }

export function TemporalLink({ workflowId, children }: Props) {
  const href = useTemporalLink(workflowId)
  return (
    href !== undefined && (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    )
  )
}
