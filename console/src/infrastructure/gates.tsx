import { costOf, findingsOf, type Finding } from './plan.ts'
import type { Gate, Run } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { plainText } from '../parts/plain-text.ts'

const resultWords: Record<Gate['result'], { tone: string; sign: string; word: string }> = {
  pass: { tone: 'good', sign: '✓', word: 'passed' },
  warn: { tone: 'warn', sign: '!', word: 'passed with warnings' },
  fail: { tone: 'bad', sign: '✗', word: 'denied' },
  error: { tone: 'bad', sign: '✗', word: 'could not be evaluated: denied' },
}

/** The findings of the policy gate and the cost gate. */
export function Gates({ run }: { run: Run }) {
  const gates = run.stages.flatMap((stage) => stage.gates ?? [])
  if (gates.length === 0)
    return (
      <p className="dim">
        {run.state === 'running'
          ? 'The plan is checked as soon as it is made.'
          : 'The run ended before its checks.'}
      </p>
    )
  return (
    <ul className="gates">
      {gates.map((gate) => {
        return (
          <li key={gate.kind}>
            <p>
              <GateBadge gate={gate} />
            </p>
            {byPolicy(findingsOf(gate.findings)).map(([policy, messages]) => (
              <div key={policy} className="findings">
                {policy && <strong>{policy}</strong>}
                <Messages messages={messages.slice(0, shownFirst)} />
                {messages.length > shownFirst && (
                  <details>
                    <summary>{messages.length - shownFirst} more</summary>
                    <Messages messages={messages.slice(shownFirst)} />
                  </details>
                )}
              </div>
            ))}
          </li>
        )
      })}
    </ul>
  )
}

export function GateBadge({ gate: { kind, result } }: { gate: Gate }) {
  const { tone, sign, word } = resultWords[result]
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {kind} {word}
    </span>
  )
}

/** The number of findings of one policy that are shown without expanding. */
const shownFirst = 5

/** Groups findings, so that a policy with many findings is named once. */
function byPolicy(findings: readonly Finding[]): Array<[policy: string, messages: string[]]> {
  const messagesOf = new Map<string, string[]>()
  for (const { policy = '', message } of findings)
    messagesOf.set(policy, [...(messagesOf.get(policy) ?? []), message])
  return [...messagesOf]
}

function Messages({ messages }: { messages: readonly string[] }) {
  return (
    <ul>
      {messages.map((message, at) => (
        // Two findings can have the same text, and the order of the list never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>{plainText(message)}</li>
      ))}
    </ul>
  )
}

/** The change in monthly cost, for resources with a known price. */
export function CostDelta({ value }: { value: unknown }) {
  const cost = costOf(value)
  if (!cost) return <p className="dim">The cost of this run is unknown.</p>
  const money = new Intl.NumberFormat(undefined, { style: 'currency', currency: cost.currency })
  const unpriced = unpricedOf(cost.coverage)
  if (unpriced > 0 && cost.before === 0 && cost.after === 0)
    return (
      <>
        <p className="cost">Unknown</p>
        <p className="dim">
          {unpriced === 1 ? 'Its resource has' : `None of its ${plural(unpriced, 'resource')} has`}{' '}
          {unpriced === 1 ? 'no price.' : 'a price.'}
        </p>
      </>
    )
  if (cost.delta === 0)
    return (
      <>
        <p className="cost">No change</p>
        <p className="dim num">
          {money.format(cost.after)} a month, before and after{coverageWords(cost.coverage)}
        </p>
      </>
    )
  return (
    <>
      <p className="cost num">
        <span className={toneOf(cost.delta)}>
          {cost.delta > 0 && '+'}
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

const toneOf = (delta: number) => (delta > 0 ? 'warn-text' : 'good-text')

/** The resources without a price, if none has one. */
function unpricedOf(coverage: unknown): number {
  if (typeof coverage !== 'object' || coverage === null) return 0
  const { priced, unpriced } = coverage as Record<string, unknown>
  return priced === 0 && typeof unpriced === 'number' ? unpriced : 0
}

function coverageWords(coverage: unknown): string {
  if (typeof coverage !== 'object' || coverage === null) return ''
  const { priced, unpriced } = coverage as Record<string, unknown>
  if (typeof unpriced !== 'number' || unpriced === 0) return ''
  const known = typeof priced === 'number' ? priced : 0
  return `; ${known} of ${known + unpriced} resources have a price`
}
