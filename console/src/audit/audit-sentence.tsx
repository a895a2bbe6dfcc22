import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../api/types.ts'
import { sentenceOfEntry } from './audit-words.ts'
import { plainLine } from '../parts/plain-text.ts'

/** Who did what to what, with a link to what still has a page. */
export function AuditSentence({ entry }: { entry: AuditEntry }) {
  const { who, before, after } = sentenceOfEntry(entry)
  return (
    <>
      <strong>
        <bdi>{plainLine(who)}</bdi>
      </strong>{' '}
      {before}
      {after !== undefined && (
        <>
          {entry.target ? <Target target={entry.target} entry={entry} /> : 'something'}
          {after}
        </>
      )}
    </>
  )
}

type Target = NonNullable<AuditEntry['target']>

function Target({ target, entry }: { target: Target; entry: AuditEntry }) {
  const { kind, id, label, run } = target
  // The service names each workspace that still exists.
  if (kind === 'workspace' && label === null) return 'a deleted workspace'
  const name = label ?? String(id)
  // Names of things and addresses are as their owners wrote them, in any direction of writing.
  const shown = <bdi>{plainLine(name)}</bdi>
  if (kind === 'run') return <RunTarget target={target} workspaceId={workspaceIdOf(entry)} />
  if (run !== undefined || typeof id !== 'number' || /_?deleted$|disconnected$/.test(entry.event))
    return shown
  switch (kind) {
    case 'workspace':
      return (
        <Link to="/workspaces/$id" params={{ id }}>
          {shown}
        </Link>
      )
    case 'pipeline':
      return (
        <Link to="/pipelines/$id" params={{ id }}>
          {shown}
        </Link>
      )
    case 'cloud_account':
      return (
        <Link to="/clouds/$id" params={{ id }}>
          {shown}
        </Link>
      )
    case 'policy':
      return (
        <Link to="/organization/policies/$id" params={{ id }}>
          {shown}
        </Link>
      )
    case 'anomaly':
      return (
        <Link to="/cost/anomalies/$id" params={{ id }}>
          {shown}
        </Link>
      )
    default:
      return shown
  }
}

type RunProps = { target: Target; workspaceId: number | undefined }

function RunTarget({ target: { id, label, run }, workspaceId }: RunProps) {
  const words = (
    <>
      {run ? `run #${run.number}` : 'a run'}
      {label !== null && (
        <>
          {' of '}
          <bdi>{label}</bdi>
        </>
      )}
    </>
  )
  if (typeof id !== 'number') return words
  if (run)
    return (
      <Link to="/pipelines/$id/runs/$runId" params={{ id: run.pipelineId, runId: id }}>
        {words}
      </Link>
    )
  if (workspaceId === undefined) return words
  return (
    <Link to="/workspaces/$id/runs/$runId" params={{ id: workspaceId, runId: id }}>
      {words}
    </Link>
  )
}

function workspaceIdOf({ detail }: AuditEntry): number | undefined {
  if (typeof detail !== 'object' || detail === null || !('workspaceId' in detail)) return undefined
  return typeof detail.workspaceId === 'number' ? detail.workspaceId : undefined
}
