import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Pipeline } from '../api/types.ts'
import { LabelTags } from '../parts/label-list.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { StateBadge } from '../parts/state-badge.tsx'

/** Memoized, so that loading another page of a long list does not render all rows again. */
export const PipelineRow = memo(function PipelineRow({ pipeline }: { pipeline: Pipeline }) {
  return (
    <li>
      <Link to="/pipelines/$id" params={{ id: pipeline.id }} className="row">
        <span className="row-main">
          <span className="row-title">
            <strong>{pipeline.name}</strong>
            {pipeline.criticality === 'production' && (
              <span className="tag production">production</span>
            )}
          </span>
          <span className="row-sub">
            {pipeline.kind}
            {pipeline.targetWorkspaceName && ` · workspace ${pipeline.targetWorkspaceName}`}
            {pipeline.description && (
              <>
                {' · '}
                <bdi>{plainLine(pipeline.description)}</bdi>
              </>
            )}
            <LabelTags labels={pipeline.labels} />
          </span>
        </span>
        {pipeline.lastRun ? (
          <span className="row-last">
            <span className="dim num">#{pipeline.lastRun.number}</span>
            <StateBadge run={{ ...pipeline.lastRun, criticality: pipeline.criticality }} />
          </span>
        ) : (
          <span className="row-last dim">no runs</span>
        )}
      </Link>
    </li>
  )
})
