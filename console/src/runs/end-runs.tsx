import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Answer } from '../api/call.ts'
import type { ListedRun } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, TextField, textIn } from '../parts/forms.tsx'
import { ownerOf } from './listed-run.ts'
import { nameOfRun } from './run-row.tsx'

type Action = 'cancel' | 'reject'
type Result = Answer<'cancelRuns'>['results'][number]
type Done = { action: Action; runs: readonly ListedRun[]; results: readonly Result[] }

/** The most that one request takes. */
const maxAtOnce = 100

type Props = {
  /** What is picked. */
  runs: readonly ListedRun[]
  pickable: readonly ListedRun[]
  onPick: (ids: readonly number[]) => void
}

/** Cancels or rejects the picked runs, after a question, and says what became of each. */
export function EndRuns({ runs, pickable, onPick }: Props) {
  const [asked, setAsked] = useState<Action>()
  const [done, setDone] = useState<Done>()
  const cancelable = runs.filter(({ mayCancel }) => mayCancel)
  const rejectable = runs.filter(({ mayReject }) => mayReject)
  if (pickable.length === 0 && !done) return null
  const areAllPicked = runs.length > 0 && runs.length === pickable.length
  return (
    <>
      <div role="status">{done && <Outcome {...done} />}</div>
      {pickable.length > 0 && (
        <div className="pick-bar">
          <label className="check">
            <input
              type="checkbox"
              checked={areAllPicked}
              onChange={() => onPick(areAllPicked ? [] : pickable.map(({ id }) => id))}
            />
            <span>
              {runs.length === 0
                ? `Select all that can be ended (${pickable.length})`
                : `${runs.length} selected`}
            </span>
          </label>
          {cancelable.length > 0 && (
            <Button onClick={() => setAsked('cancel')}>{`Cancel ${cancelable.length}…`}</Button>
          )}
          {rejectable.length > 0 && (
            <Button onClick={() => setAsked('reject')}>{`Reject ${rejectable.length}…`}</Button>
          )}
        </div>
      )}
      {asked && (
        <Question
          action={asked}
          runs={asked === 'cancel' ? cancelable : rejectable}
          onClose={() => setAsked(undefined)}
          onDone={(outcome) => {
            setAsked(undefined)
            setDone(outcome)
            onPick([])
          }}
        />
      )}
    </>
  )
}

const words = {
  cancel: {
    operation: 'cancelRuns',
    act: 'Cancel',
    done: 'canceled',
    says: 'A run that is planning or applying is interrupted: what it changed until then stays changed.',
    saysOfApplications:
      'A deployment that runs is stopped: hosts that it changed go back to the last good release.',
  },
  reject: {
    operation: 'rejectRuns',
    act: 'Reject',
    done: 'rejected',
    says: 'A rejected plan is never applied. Its author starts a new run.',
    saysOfApplications: 'A rejected release is not deployed, or not any further.',
  },
} as const

type QuestionProps = {
  action: Action
  runs: readonly ListedRun[]
  onClose: () => void
  onDone: (done: Done) => void
}

function Question({ action, runs, onClose, onDone }: QuestionProps) {
  const queryClient = useQueryClient()
  // As they were when the question was opened: what is asked about does not change under the reader.
  const [asked] = useState(runs)
  const { operation, act, says, saysOfApplications } = words[action]
  const isOfApplication = ({ kind }: ListedRun) => kind === 'application'
  const doing = useMutation({
    mutationFn: async (form: FormData) => {
      const comment = textIn(form, 'comment').trim()
      const results: Result[] = []
      for (let first = 0; first < asked.length; first += maxAtOnce) {
        const runIds = asked.slice(first, first + maxAtOnce).map(({ id }) => id)
        const answer = await call(operation, { body: { runIds, ...(comment && { comment }) } })
        results.push(...answer.results)
      }
      return results
    },
    onSuccess: (results) => onDone({ action, runs: asked, results }),
    // Also after a failure: a part of them may have ended.
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['runs'] }),
  })
  const what = plural(asked.length, 'run')
  return (
    <FormDialog
      title={`${act} ${what}?`}
      description={
        <>
          {!asked.every(isOfApplication) && <p>{says}</p>}
          {asked.some(isOfApplication) && <p>{saysOfApplications}</p>}
          <ul className="pick-names">
            {asked.map((run) => (
              <li key={run.id}>{`${ownerOf(run)}, ${nameOfRun(run)}`}</li>
            ))}
          </ul>
        </>
      }
      act={`${act} ${what}`}
      tone="danger"
      cancel="Keep"
      doing={doing}
      onSubmit={(form) => doing.mutate(form)}
      onClose={onClose}
    >
      <TextField label="Comment" name="comment" maxLength={1_000} hint="Kept in the audit log." />
    </FormDialog>
  )
}

function Outcome({ action, runs, results }: Done) {
  const refused = results.filter(({ ok }) => !ok)
  const good = results.length - refused.length
  return (
    <div className={`note ${refused.length > 0 ? 'warn' : 'good'}`}>
      <p>
        {`${plural(good, 'run')} ${words[action].done}.`}
        {refused.length > 0 && ` ${refused.length} ${refused.length === 1 ? 'was' : 'were'} not:`}
      </p>
      {refused.length > 0 && (
        <ul>
          {refused.map(({ runId, code }) => {
            const run = runs.find(({ id }) => id === runId)
            const name = run ? `${ownerOf(run)}, ${nameOfRun(run)}` : 'A run'
            return <li key={runId}>{`${name}: ${refusal(action, code)}`}</li>
          })}
        </ul>
      )}
    </div>
  )
}

function refusal(action: Action, code: string | null): string {
  if (code === 'not_found') return 'it was deleted.'
  if (code === 'run_not_waiting')
    return action === 'cancel' ? 'it is over already.' : 'it no longer waits for a decision.'
  return 'the service refused it. Open the run to see its state.'
}
