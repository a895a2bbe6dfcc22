import { costOf, findingsOf } from '../api/plan.ts'
import type { Gate, Run } from '../api/types.ts'

const resultWords: Record<Gate['result'], { tone: string; sign: string; word: string }> = {
  pass: { tone: 'good', sign: '✓', word: 'passed' },
  warn: { tone: 'warn', sign: '!', word: 'passed with warnings' },
  fail: { tone: 'bad', sign: '✕', word: 'denied' },
  error: { tone: 'bad', sign: '✕', word: 'could not be judged, so it denied' },
}

/** What the policy gate and the cost gate found. */
export function Gates({ run }: { run: Run }) {
  const gates = run.stages.flatMap((stage) => stage.gates ?? [])
  if (gates.length === 0)
    return (
      <p className="dim">
        {run.state === 'running' ? 'Judged once the plan is made.' : 'It ended before they judged.'}
      </p>
    )
  return (
    <ul className="gates">
      {gates.map((gate) => {
        const { tone, sign, word } = resultWords[gate.result]
        return (
          <li key={gate.kind}>
            <p>
              <span className={`badge ${tone}`}>
                <span aria-hidden="true">{sign}</span>
                {gate.kind} {word}
              </span>
            </p>
            <ul className="findings">
              {findingsOf(gate.findings).map((finding, at) => (
                // Two findings may say the same; the list never changes its order.
                // oxlint-disable-next-line react/no-array-index-key
                <li key={at}>
                  {finding.policy && <strong>{finding.policy}: </strong>}
                  {finding.message}
                </li>
              ))}
            </ul>
          </li>
        )
      })}
    </ul>
  )
}

/** What the plan changes in monthly cost, as far as prices are known. */
export function CostDelta({ value }: { value: unknown }) {
  const cost = costOf(value)
  if (!cost) return <p className="dim">No cost is known of this run.</p>
  const money = new Intl.NumberFormat(undefined, { style: 'currency', currency: cost.currency })
  const sign = cost.delta > 0 ? '+' : cost.delta === 0 ? '±' : ''
  return (
    <>
      <p className="cost num">
        <span className={toneOf(cost.delta)}>
          {sign}
          {money.format(cost.delta)}
        </span>{' '}
        a month
      </p>
      <p className="dim num">
        {money.format(cost.before)} before, {money.format(cost.after)} after
        {coverageWords(cost.coverage)}
      </p>
    </>
  )
}

const toneOf = (delta: number) => (delta > 0 ? 'warn-text' : delta < 0 ? 'good-text' : 'dim')

function coverageWords(coverage: unknown): string {
  if (typeof coverage !== 'object' || coverage === null) return ''
  const { priced, unpriced } = coverage as Record<string, unknown>
  if (typeof unpriced !== 'number' || unpriced === 0) return ''
  const known = typeof priced === 'number' ? priced : 0
  return `; ${known} of ${known + unpriced} resources have a price`
}
