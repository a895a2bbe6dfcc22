import { Link } from '@tanstack/react-router'
import type { Gate, RunDetail } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { money } from '../cost/money.ts'
import { CostDelta, GateBadge } from '../infrastructure/gates.tsx'
import { findingsOf, type Finding } from '../infrastructure/plan.ts'
import { DataTable } from '../parts/data-table.tsx'
import { plainText } from '../parts/plain-text.ts'
import { gatesOf } from './checks-of.ts'

/** What the policies said of the plan, each with a link to its rule, and the cost of each resource. */
export function RunChecks({ run }: { run: RunDetail }) {
  const gates = gatesOf(run)
  if (gates.length === 0)
    return (
      <p className="dim">
        {run.state === 'running'
          ? 'The plan is checked as soon as it is made.'
          : 'The run ended before its checks.'}
      </p>
    )
  return gates.map((gate) => (
    <section key={gate.kind} className="section" aria-labelledby={`checks-${gate.kind}`}>
      <h2 id={`checks-${gate.kind}`}>
        {gate.kind === 'policy' ? 'Policies' : 'Cost'} <GateBadge gate={gate} />
      </h2>
      {gate.kind === 'policy' ? <Policies gate={gate} /> : <Cost gate={gate} run={run} />}
    </section>
  ))
}

const levels: Readonly<Record<string, { sign: string; word: string; tone: string }>> = {
  deny: { sign: '✗', word: 'Denied: ', tone: 'bad-text' },
  error: { sign: '✗', word: 'Not evaluated: ', tone: 'bad-text' },
  warn: { sign: '!', word: 'Warning: ', tone: 'warn-text' },
}

function Policies({ gate }: { gate: Gate }) {
  const findings = findingsOf(gate.findings)
  if (findings.length === 0) return <p className="dim">No policy has an objection.</p>
  return (
    <div className="checks">
      {[...Map.groupBy(findings, ({ policy = '', policyId = 0 }) => `${policyId} ${policy}`)].map(
        ([key, members]) => (
          <article key={key} className="check-box">
            <PolicyHead finding={members[0]} />
            <Messages findings={members.slice(0, shownFirst)} />
            {members.length > shownFirst && (
              <details>
                <summary>{members.length - shownFirst} more</summary>
                <Messages findings={members.slice(shownFirst)} />
              </details>
            )}
          </article>
        ),
      )}
    </div>
  )
}

const shownFirst = 20

function PolicyHead({ finding }: { finding: Finding | undefined }) {
  if (!finding?.policy) return null
  const { policy, policyId, enforcement } = finding
  return (
    <h3>
      {policyId ? (
        <Link to="/organization/policies/$id" params={{ id: policyId }}>
          {policy}
        </Link>
      ) : (
        policy
      )}
      {enforcement && <span className="tag">{enforcement}</span>}
    </h3>
  )
}

function Messages({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="check-list">
      {findings.map(({ level, message }, at) => {
        const shown = levels[level]
        return (
          // Two findings can have the same text, and the order of the list never changes.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at}>
            {shown && (
              <>
                <span className={`sign ${shown.tone}`} aria-hidden="true">
                  {shown.sign}
                </span>
                <span className="visually-hidden">{shown.word}</span>
              </>
            )}
            <span>{plainText(message)}</span>
          </li>
        )
      })}
    </ul>
  )
}

const sides = { created: 'Create', changed: 'Change', deleted: 'Destroy' }

function Cost({ gate, run: { cost, estimate } }: { gate: Gate; run: RunDetail }) {
  const findings = findingsOf(gate.findings)
  const unpriced = findings.flatMap(({ resource }) => (resource === undefined ? [] : [resource]))
  const others = findings.filter(({ resource }) => resource === undefined)
  const rows = [
    ...(estimate?.resources ?? []).map(({ address, side, delta }) => ({
      id: address,
      what: sides[side],
      price: `${delta > 0 ? '+' : ''}${money(delta, estimate?.currency ?? '')} a month`,
    })),
    ...unpriced.map((address) => ({ id: address, what: '', price: 'unknown' })),
  ]
  const left = (estimate?.others ?? 0) - unpriced.length
  return (
    <div className="checks">
      <div>
        <CostDelta value={cost} />
      </div>
      {others.length > 0 && <Messages findings={others} />}
      <DataTable
        label="Cost of each resource"
        rows={rows}
        columns={[
          {
            title: 'Resource',
            render: ({ id }) => <code className="address">{plainText(id)}</code>,
          },
          { title: 'Action', render: ({ what }) => what || '–' },
          {
            title: 'Change of the cost',
            render: ({ price }) => (
              <span className={price === 'unknown' ? 'dim' : 'num'}>{price}</span>
            ),
          },
        ]}
      />
      {left > 0 && <p className="dim">{plural(left, 'more resource')} without a known price.</p>}
    </div>
  )
}
