import type { RunDetail } from '../api/types.ts'
import { whatItDoes, type DecisionOf } from './decision-words.ts'

type Props = { run: RunDetail; of: DecisionOf; planDigest: string | null }

/** What follows from a decision. */
export function DecisionText({ run, of: { choice, beforePlan, onlyConfirm }, planDigest }: Props) {
  if (choice === 'reject')
    return <p>The run ends as rejected and nothing is changed. Its author can start another one.</p>
  const kept = `Your name is kept with the ${onlyConfirm ? 'confirmation' : 'approval'}.`
  if (beforePlan)
    return (
      <p>
        {whatItDoes(run)} Nothing is applied by this. {kept}
      </p>
    )
  return (
    <>
      <p>
        OpenTofu applies exactly the plan you see, and nothing else, as soon as you{' '}
        {onlyConfirm ? 'confirm' : 'approve'}. {whatItDoes(run)} {kept}
      </p>
      <p className="dim">
        Plan <code className="digest">{planDigest}</code>. If anything that it depends on has
        changed since, it is refused and not applied.
      </p>
    </>
  )
}
