import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Workspace } from '../api/types.ts'
import { LabelTags } from '../parts/label-list.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { StateBadge } from '../parts/state-badge.tsx'
import { Time } from '../parts/time.tsx'
import { Summary } from '../runs/run-row.tsx'
import { FavoriteButton } from './favorite-button.tsx'

type Props = {
  workspace: Workspace
  isFavorite: boolean
  onFavorite: (id: number, isOne: boolean) => void
}

/** Memoized, so that loading another page of a long list does not render all rows again. */
export const WorkspaceRow = memo(function WorkspaceRow({
  workspace,
  isFavorite,
  onFavorite,
}: Props) {
  const { id, name, criticality } = workspace
  return (
    <li className="pick-row">
      <FavoriteButton name={name} isOne={isFavorite} onChange={(isOne) => onFavorite(id, isOne)} />
      <Link to="/workspaces/$id" params={{ id }} className="row workspace-row">
        <span className="row-main">
          <span className="row-title">
            <strong>{name}</strong>
            {workspace.locked && <span className="tag warn">locked</span>}
            {workspace.needsRefresh && <span className="tag bad">needs refresh</span>}
          </span>
          <span className="row-sub">
            {contentOf(workspace)}
            {workspace.description && (
              <>
                {' · '}
                <bdi>{plainLine(workspace.description)}</bdi>
              </>
            )}
            <LabelTags labels={workspace.labels} />
          </span>
        </span>
        <span className={criticality === 'production' ? 'criticality' : 'criticality dim'}>
          {criticality === 'production' ? (
            <span className="tag production">production</span>
          ) : (
            'standard'
          )}
        </span>
        <LastRun workspace={workspace} />
      </Link>
    </li>
  )
})

function contentOf({ source, configurationVersion: version, stateSerial }: Workspace): string {
  const without = source.kind === 'git' ? 'files in Git' : 'no files yet'
  const files = version === null ? without : `files version ${version}`
  return stateSerial === null ? files : `${files} · state ${stateSerial}`
}

function LastRun({ workspace: { lastRun, criticality } }: { workspace: Workspace }) {
  if (!lastRun) return <span className="row-state dim">no runs</span>
  return (
    <>
      <span className="row-state">
        <StateBadge run={{ ...lastRun, criticality }} />
        <span className="dim num">#{lastRun.number}</span>
      </span>
      <Summary summary={lastRun.summary} />
      <span className="row-by dim" title={lastRun.author.label}>
        <span className="visually-hidden">by </span>
        <bdi>{lastRun.author.label}</bdi>
      </span>
      <span className="row-time">
        <Time at={lastRun.createdAt} />
      </span>
    </>
  )
}
