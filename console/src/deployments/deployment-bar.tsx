import type { AnyRunDetail } from '../api/types.ts'
import { countWords } from './hosts-by-batch.ts'
import { progressWords } from './release-words.ts'

type Deployment = NonNullable<AnyRunDetail['deployment']>

const parts = [
  ['healthy', 'healthy'],
  ['updating', 'updating'],
  ['failed', 'failed'],
  ['rolledBack', 'went-back'],
  ['unreachable', 'unreachable'],
  ['pending', 'pending'],
] as const

/** How far a deployment is, as a bar and in words. */
export function DeploymentBar({ deployment }: { deployment: Deployment }) {
  const { hosts } = deployment
  let before = 0
  return (
    <div className="deployment-bar">
      <p className="num">
        <strong className="deployment-progress">{progressWords(deployment)}</strong>
        <span className="dim"> · {countWords(hosts)}</span>
      </p>
      <svg className="bar" height="10" width="100%" aria-hidden="true">
        {parts.map(([part, look]) => {
          const share = (100 * hosts[part]) / Math.max(1, hosts.total)
          const x = before
          before += share
          return (
            share > 0 && (
              <rect key={part} className={look} x={`${x}%`} width={`${share}%`} height="10" />
            )
          )
        })}
      </svg>
    </div>
  )
}
