import { useMemo, useState } from 'react'
import { Button } from '../parts/forms.tsx'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Choice } from './merge-choice.tsx'
import { FileDiff } from './file-diff.tsx'
import { keyOf, mergedFiles, mergeFiles, type Decisions, type FileMerge } from './merge-files.ts'
import type { FilesVersion, useFilesDraft } from './use-files-draft.ts'

type Props = { draft: ReturnType<typeof useFilesDraft>; newest: FilesVersion; onDone: () => void }

/** Shown when somebody else saved a version first: what each changed, and what becomes of it. */
export function MergeView({ draft, newest, onDone }: Props) {
  const { saved, files } = draft
  const [decisions, setDecisions] = useState<Decisions>({})
  const merges = useMemo(
    () => mergeFiles(saved.files, files, newest.files),
    [saved.files, files, newest.files],
  )
  const by = newest.authors?.map(({ label }) => label).join(', ') || 'another person'
  return (
    <section className="note warn merge" aria-label="Changes by two people">
      <p role="status">
        Version {newest.number} was saved by {by} while you were typing on version {saved.number}.
        Nothing is lost: merge both, then save.
      </p>
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
          onClick={() => {
            draft.goOnFrom(newest, mergedFiles(newest.files, merges, decisions))
            onDone()
          }}
        >
          Merge into the editor
        </Button>
        <ConfirmButton
          label="Take theirs…"
          title={`Take version ${newest.number}?`}
          act="Take it"
          run={async () => draft.goOnFrom(newest, newest.files)}
          refresh={['workspaces']}
          onDone={onDone}
        >
          What you typed here and did not save is lost.
        </ConfirmButton>
      </p>
    </section>
  )
}

type FileProps = {
  merge: FileMerge
  by: string
  decisions: Decisions
  onDecide: (key: string, keep: 'mine' | 'theirs' | 'both') => void
}

/** One file that somebody changed, with a choice for each place that both changed. */
export function MergedFile({ merge, by, decisions, onDecide }: FileProps) {
  const { name } = merge
  const title = plainText(name)
  switch (merge.kind) {
    case 'mine':
    case 'theirs':
      return (
        <details>
          <summary>
            <code>{title}</code> {doneIn(merge)} by {merge.kind === 'mine' ? 'you' : by}
          </summary>
          <FileDiff name={name} was={merge.was} is={merge.is} />
        </details>
      )
    case 'removed':
      return (
        <Choice
          legend={`${title}: ${merge.by === 'mine' ? 'you removed it' : `${by} removed it`}, and the other one changed it`}
          value={decisions[name] === merge.by ? merge.by : 'both'}
          options={[
            { value: 'both', label: 'Keep the changed file', text: merge.text },
            { value: merge.by, label: 'Remove it' },
          ]}
          onChoose={(keep) => onDecide(name, keep)}
        />
      )
    case 'both':
      return <Conflicts {...{ merge, by, decisions, onDecide }} />
  }
}

function Conflicts(props: FileProps & { merge: FileMerge & { kind: 'both' } }) {
  const { merge, by, decisions, onDecide } = props
  const title = plainText(merge.name)
  const conflicts = merge.chunks.filter((chunk) => chunk.kind === 'conflict')
  if (conflicts.length === 0)
    return (
      <p>
        <code>{title}</code> changed by both, in different places.
      </p>
    )
  return conflicts.map((conflict, at) => {
    const key = keyOf(merge.name, conflict)
    return (
      <Choice
        key={key}
        legend={`${title}, place ${at + 1} of ${conflicts.length} that both changed`}
        before={conflict.base.join('\n')}
        value={decisions[key] ?? 'both'}
        options={[
          { value: 'both', label: 'Keep both, yours first' },
          { value: 'mine', label: 'Keep yours', text: conflict.mine.join('\n') },
          { value: 'theirs', label: `Keep that of ${by}`, text: conflict.theirs.join('\n') },
        ]}
        onChoose={(keep) => onDecide(key, keep)}
      />
    )
  })
}

function doneIn({ was, is }: { was: string | undefined; is: string | undefined }): string {
  if (was === undefined) return 'added'
  return is === undefined ? 'removed' : 'changed'
}
