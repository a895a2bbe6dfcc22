import type { Workspace } from '../api/types.ts'
import { Choice } from '../parts/choice.tsx'

/** `ask`: its plan waits for a person. `apply`: it applies as soon as its plan passed. */
export type StartKind = 'plan' | 'ask' | 'apply'

type Props = { workspace: Workspace; value: StartKind; onChange: (kind: StartKind) => void }

/** What a run does, in words. */
export function StartChoices({ workspace, value, onChange }: Props) {
  const { criticality, confirm } = workspace
  const choice = (kind: StartKind, label: string, words: string) => (
    <Choice
      name="kind"
      value={kind}
      label={label}
      words={words}
      checked={value === kind}
      onChange={() => onChange(kind)}
    />
  )
  const production = criticality === 'production'
  return (
    <fieldset className="choices">
      <legend className="label">What the run does</legend>
      {choice('plan', 'Plan only', 'Shows what would change. It never applies anything.')}
      {production
        ? choice(
            'ask',
            'Plan and ask a second person',
            'Plans, checks policies and cost, and applies once a second person has approved the plan: the workspace is a production one.',
          )
        : choice(
            'ask',
            'Plan and ask me',
            'Plans, checks policies and cost, and waits until you or a colleague confirms the plan.',
          )}
      {!production &&
        confirm !== 'always' &&
        choice(
          'apply',
          'Plan and apply',
          confirm === 'destroys'
            ? 'Applies as soon as policies and cost have passed. A plan that destroys something waits for a confirmation.'
            : 'Applies as soon as policies and cost have passed, without another question.',
        )}
    </fieldset>
  )
}
