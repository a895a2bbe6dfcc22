import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AuditEntry } from '../api/types.ts'
import { AuditSentence } from './audit-sentence.tsx'
import { outcomeWords } from './audit-words.ts'
import { detailWords } from './detail-words.ts'

const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** One entry: a sentence, its detail in words, and on demand all that was recorded. */
export function AuditEntryRow({ entry }: { entry: AuditEntry }) {
  const { at, detail } = entry
  const [open, setOpen] = useState(false)
  const words = detailWords(detail)
  const outcome = outcomeWords(entry)
  return (
    <li>
      <time dateTime={at} title={`${at.replace('T', ' ').slice(0, 19)} UTC`} className="dim num">
        {clockFormat.format(new Date(at))}
      </time>
      <div>
        <p>
          <AuditSentence entry={entry} />
          {outcome && <span className="tag bad">{outcome}</span>}
        </p>
        {words && <bdi className="audit-detail dim">{words}</bdi>}
        <details className="audit-more" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>All fields</summary>
          {open && <AllFields entry={entry} />}
        </details>
      </div>
    </li>
  )
}

/** What an auditor compares with the export and with the logs of other systems. */
function AllFields({ entry }: { entry: AuditEntry }) {
  const { id, event, actor, target, ip, requestId, hash, detail } = entry
  return (
    <dl className="audit-fields">
      <dt>Entry</dt>
      <dd className="num">{id}</dd>
      <dt>Event</dt>
      <dd>
        <Link to="/organization/audit" search={{ event }} activeProps={{}}>
          <code>{event}</code>
        </Link>
      </dd>
      <dt>By</dt>
      <dd>
        {actor.id === null ? (
          <bdi>{actor.label}</bdi>
        ) : (
          <Link
            to="/organization/audit"
            search={{ actor: `${actor.kind}:${actor.id}` }}
            activeProps={{}}
          >
            All by <bdi>{actor.label}</bdi>
          </Link>
        )}
      </dd>
      {target && (
        <>
          <dt>On</dt>
          <dd>
            <Link
              to="/organization/audit"
              search={{ target: `${target.kind}:${target.id}` }}
              activeProps={{}}
            >
              All on <bdi>{target.label ?? target.id}</bdi>
            </Link>
          </dd>
        </>
      )}
      <dt>Address</dt>
      <dd>{ip ?? 'none'}</dd>
      <dt>Request</dt>
      <dd>{requestId ? <code>{requestId}</code> : 'none'}</dd>
      <dt>Seal</dt>
      <dd>{hash ? <code>{hash}</code> : 'sealed in some seconds'}</dd>
      <dt>Detail</dt>
      <dd>
        <code className="detail">{JSON.stringify(detail)}</code>
      </dd>
    </dl>
  )
}
