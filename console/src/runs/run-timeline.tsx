import type { AnyRunDetail } from '../api/types.ts'
import { detailWords } from '../audit/detail-words.ts'
import { sentenceOfEntry } from '../audit/audit-words.ts'
import { useNow } from '../parts/use-now.ts'
import { Clock, durationText, Time } from '../parts/time.tsx'
import { TemporalLink } from './temporal-link.tsx'
import { sumOf, timelineBars, type TimelineBar } from './timeline-bars.ts'
import { plainLine } from '../parts/plain-text.ts'

type Run = Pick<
  AnyRunDetail,
  'timeline' | 'createdAt' | 'endedAt' | 'stages' | 'tries' | 'workflowId'
>

/** What the run did and what it waited for, then its audit entries in order, with their actors. */
export function Timeline({ run }: { run: Run }) {
  const now = useNow(run.endedAt === null)
  const bars = timelineBars(run, now)
  return (
    <>
      <Bars bars={bars} />
      <Tries run={run} />
      <p className="dim">
        <TemporalLink workflowId={run.workflowId}>Open its workflow in Temporal’s UI</TemporalLink>
      </p>
      <h2>Events</h2>
      <ol className="timeline">
        {run.timeline.map((entry) => (
          <li key={entry.at + entry.event}>
            <Clock at={entry.at} />
            <Sentence entry={entry} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** “Maria approved this run”, as in the audit log, and the comment of a decision. */
function Sentence({ entry: { event, actor, detail } }: { entry: Run['timeline'][number] }) {
  const { who, before, after } = sentenceOfEntry({
    event,
    actor: { label: actor },
    target: null,
    detail,
  })
  const target = event.startsWith('pipeline.') ? 'this run' : 'the workspace'
  const words = detailWords(detail)
  return (
    <div>
      <p>
        <strong>
          <bdi>{plainLine(who)}</bdi>
        </strong>{' '}
        {before}
        {after !== undefined && `${target}${after}`}
      </p>
      {words && <bdi className="dim">{words}</bdi>}
    </div>
  )
}

function Bars({ bars }: { bars: readonly TimelineBar[] }) {
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return null
  const totalMs = Math.max(1, last.toMs - first.fromMs)
  const percent = (ms: number) => `${(100 * ms) / totalMs}%`
  return (
    <section aria-label="Where the time went">
      <p>
        <span className="bar-key working" aria-hidden="true" /> worked{' '}
        <strong className="num">{durationText(sumOf(bars, 'working'))}</strong>
        {', '}
        <span className="bar-key waiting" aria-hidden="true" /> waited{' '}
        <strong className="num">{durationText(sumOf(bars, 'waiting'))}</strong>
      </p>
      <ol className="bars">
        {bars.map(({ name, kind, fromMs, toMs, isOpen }) => (
          <li key={`${name}${fromMs}`}>
            <span className="bar-name">{name}</span>
            <svg className="bar" height="16" width="100%" aria-hidden="true">
              <rect
                className={kind}
                x={percent(fromMs - first.fromMs)}
                width={percent(Math.max(toMs - fromMs, totalMs / 400))}
                height="16"
                rx="3"
              />
            </svg>
            <span className="num bar-time">
              {durationText(toMs - fromMs)}
              {isOpen && <span className="dim"> so far</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Nothing where each stage was begun once. */
function Tries({ run: { tries } }: { run: Pick<Run, 'tries'> }) {
  const again = tries.filter(({ count }) => count > 1)
  if (again.length === 0) return null
  return (
    <p className="note quiet">
      {again.map(({ stage, count, lastAt }) => (
        <span key={stage}>
          The stage {stage} was begun {count} times, because a worker was lost
          {lastAt && (
            <>
              ; the last time <Time at={lastAt} />
            </>
          )}
          .{' '}
        </span>
      ))}
    </p>
  )
}
