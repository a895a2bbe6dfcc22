import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, textIn, TextField } from '../parts/forms.tsx'
import { Time } from '../parts/time.tsx'
import { personQuery } from '../users/person-query.ts'
import { AnomalyState } from './anomaly-columns.tsx'
import { nameOfAnomaly, verdictsFor, verdictWords, type Verdict } from './anomaly-words.ts'
import type { Anomaly } from './queries.ts'

/** What people made of an anomaly, and the buttons of those who may judge it. */
export function AnomalyVerdict({ anomaly }: { anomaly: Anomaly }) {
  const { may } = useMe()
  const [verdict, setVerdict] = useState<Verdict>()
  const { state, comment } = anomaly
  return (
    <section className="section">
      <h2>Verdict</h2>
      <p className="section-text">
        <AnomalyState state={state} /> <DecidedBy anomaly={anomaly} />
      </p>
      {comment !== null && <p className="note quiet anomaly-reason">{comment}</p>}
      {may('mutate_infra') && (
        <div className="actions">
          {verdictsFor(state).map((one) => (
            <Button key={one} onClick={() => setVerdict(one)}>
              {verdictWords[one].label}
            </Button>
          ))}
        </div>
      )}
      {verdict && (
        <VerdictDialog anomaly={anomaly} verdict={verdict} onClose={() => setVerdict(undefined)} />
      )}
    </section>
  )
}

function DecidedBy({ anomaly: { decidedBy, decidedAt } }: { anomaly: Anomaly }) {
  const person = useQuery(personQuery(decidedBy))
  if (decidedAt === null) return <span className="dim">Nobody has judged it yet.</span>
  const name = person.data?.user.name ?? (person.isError ? 'a former member' : '')
  return (
    <span className="dim">
      {name && `by ${name}, `}
      <Time at={decidedAt} />
    </span>
  )
}

type DialogProps = { anomaly: Anomaly; verdict: Verdict; onClose: () => void }

function VerdictDialog({ anomaly, verdict, onClose }: DialogProps) {
  const queryClient = useQueryClient()
  const { title, act, does } = verdictWords[verdict]
  const decide = useMutation({
    mutationFn: (form: FormData) =>
      call('decideAnomaly', {
        params: { id: anomaly.id },
        body: { state: verdict, comment: textIn(form, 'comment').trim() || null },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['cost'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={title}
      description={
        <p>
          {nameOfAnomaly(anomaly)}. {does}
        </p>
      }
      act={act}
      doing={decide}
      onSubmit={(form) => decide.mutate(form)}
      onClose={onClose}
    >
      <TextField
        label="Reason (optional)"
        name="comment"
        maxLength={1_000}
        defaultValue={anomaly.comment ?? ''}
        hint="Everybody in the organization sees it."
      />
    </FormDialog>
  )
}
