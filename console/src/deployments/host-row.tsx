import { memo } from 'react'
import type { LogLine, RunHost, RunPlace } from '../api/types.ts'
import { LookBadge } from '../parts/look-badge.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Duration, durationText } from '../parts/time.tsx'
import { RunViewLink } from '../runs/run-tabs.tsx'
import { hookWords } from './hosts-by-batch.ts'
import { hostLooks } from './release-words.ts'

type Props = {
  host: RunHost
  place: RunPlace
  /** What it printed last, while the deployment goes on. */
  last: LogLine | undefined
}

/** One host of a deployment. Memoized, because a deployment has up to 1,000. */
export const HostRow = memo(function HostRow({ host, place, last }: Props) {
  const hooks = hookWords(host.hooks, durationText)
  return (
    <div className="row low host-row">
      <span className="row-state">
        <LookBadge look={hostLooks[host.state]} />
      </span>
      <span className="row-main">
        <span className="row-title">
          <strong>
            <bdi>{host.agent.name}</bdi>
          </strong>
          {hooks !== '' && <span className="dim host-hooks">{hooks}</span>}
        </span>
        {host.message && (
          <span className="row-sub">
            <bdi>{plainText(host.message)}</bdi>
          </span>
        )}
        {last && (
          <RunViewLink
            place={place}
            search={{ tab: 'log', stage: 'deploy', line: last.seq }}
            className="row-sub last-line"
          >
            <code>{plainText(last.line)}</code>
          </RunViewLink>
        )}
      </span>
      <span className="row-time">
        {host.startedAt && <Duration from={host.startedAt} to={host.endedAt} />}
      </span>
    </div>
  )
})
