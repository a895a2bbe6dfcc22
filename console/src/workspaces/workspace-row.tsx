import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Workspace } from '../api/types.ts'
import { StateBadge } from '../parts/state-badge.tsx'

/** Memoized, so that loading another page of a long list does not render all rows again. */
export const WorkspaceRow = memo(function WorkspaceRow({ workspace }: { workspace: Workspace }) {
  return (
    <li>
      <Link to="/workspaces/$id" params={{ id: workspace.id }} className="row">
        <span className="row-main">
          <span className="row-title">
            <strong>{workspace.name}</strong>
            {workspace.criticality === 'production' && (
              <span className="tag production">production</span>
            )}
            {workspace.locked && <span className="tag warn">locked</span>}
            {workspace.needsRefresh && <span className="tag bad">needs refresh</span>}
          </span>
          <span className="row-sub">
            {workspace.configurationVersion === null
              ? workspace.source.kind === 'git'
                ? 'files in Git'
                : 'no files yet'
              : `files version ${workspace.configurationVersion}`}
            {workspace.stateSerial !== null && ` · state ${workspace.stateSerial}`}
          </span>
        </span>
        {workspace.lastRun ? (
          <span className="row-last">
            <span className="dim num">#{workspace.lastRun.number}</span>
            <StateBadge run={{ ...workspace.lastRun, criticality: workspace.criticality }} />
          </span>
        ) : (
          <span className="row-last dim">no runs</span>
        )}
      </Link>
    </li>
  )
})
