import { useMemo, useState } from 'react'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button } from '../parts/forms.tsx'
import { FileDiff } from '../workspaces/file-diff.tsx'
import { mergedFiles, mergeFiles, type Decisions } from '../workspaces/merge-files.ts'
import { MergedFile } from '../workspaces/merge-view.tsx'

type Props = {
  /** The rule that both began with, and what each made of it. */
  base: string
  mine: string
  theirs: string
  /** Of the policy as it is stored now. */
  version: number
  onMerge: (rego: string) => void
}

const name = 'policy.rego'
const by = 'the other person'

/** Shown when another person saved the rule first: what they changed, and what becomes of both. */
export function PolicyMerge({ base, mine, theirs, version, onMerge }: Props) {
  const [decisions, setDecisions] = useState<Decisions>({})
  const merges = useMemo(
    () => mergeFiles({ [name]: base }, { [name]: mine }, { [name]: theirs }),
    [base, mine, theirs],
  )
  return (
    <section className="note warn merge" aria-label="Changes by two people">
      <p role="status">
        Another person saved version {version} of this policy while you were typing. Nothing is
        lost: merge both rules, then save.
      </p>
      <h2>What they changed</h2>
      <FileDiff name={name} was={base} is={theirs} />
      {merges.map((merge) => (
        <MergedFile
          key={merge.name}
          {...{ merge, by, decisions }}
          onDecide={(key, keep) => setDecisions({ ...decisions, [key]: keep })}
        />
      ))}
      <p className="actions">
        <Button
          tone="primary"
          onClick={() => onMerge(mergedFiles({ [name]: theirs }, merges, decisions)[name] ?? mine)}
        >
          Merge into the editor
        </Button>
        <ConfirmButton
          label="Take theirs…"
          title={`Take the rule of version ${version}?`}
          act="Take it"
          run={async () => onMerge(theirs)}
          refresh={['policies', 'list']}
        >
          What you typed here into the rule and did not save is lost.
        </ConfirmButton>
      </p>
    </section>
  )
}
