import type { RunDetail } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { money } from '../cost/money.ts'
import { findingsOf, type PlannedResource } from '../infrastructure/plan.ts'
import { gatesOf } from './checks-of.ts'
import { namesAddress } from './names-address.ts'
import { outcomeWords } from './outcome-words.ts'

type Props = { marks: MarksOfRun; resource: PlannedResource }

export type MarksOfRun = ReturnType<typeof marksOfRun>

/** What a run says of its resources, gathered once: a plan can have thousands of them. */
export const marksOfRun = (run: RunDetail) => ({
  findings: gatesOf(run)
    .filter(({ kind }) => kind === 'policy')
    .flatMap((gate) => findingsOf(gate.findings)),
  prices: new Map(run.estimate?.resources.map(({ address, delta }) => [address, delta])),
  currency: run.estimate?.currency ?? '',
  stages: run.stages,
})

/** What the checks say of a resource, what it costs, and what the apply did to it. */
export function ResourceMarks({ marks, resource }: Props) {
  const findings = marks.findings.filter(({ message }) => namesAddress(message, resource.address))
  const denies = findings.some(({ level }) => level === 'deny')
  const price = marks.prices.get(resource.address)
  const outcome = outcomeWords(resource, marks.stages)
  if (findings.length === 0 && price === undefined && !outcome) return null
  return (
    <span className="marks">
      {findings.length > 0 && (
        <span className={`tag ${denies ? 'bad' : 'warn'}`}>
          {plural(findings.length, 'finding')}
        </span>
      )}
      {price !== undefined && (
        <span className="dim num">
          {price > 0 && '+'}
          {money(price, marks.currency)} a month
        </span>
      )}
      {outcome && (
        <span className={`${outcome.tone} num`}>
          <span aria-hidden="true">{outcome.sign} </span>
          {outcome.words}
        </span>
      )}
    </span>
  )
}
