import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, mayPass } from '../api/call.ts'
import type { AnyRunDetail, Pipeline, RunPlace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, textIn, TextField } from '../parts/forms.tsx'
import { nameOfRun } from '../runs/run-row.tsx'
import { useStartKey } from '../runs/start-key.ts'
import { wayBack } from './way-back.ts'

type Props = { run: AnyRunDetail; place: RunPlace; pipeline: Pipeline }

/** Deploys the release of this run again. Not offered where the service would refuse it. */
export function RollBack({ run, place, pipeline }: Props) {
  const { may } = useMe()
  const [open, setOpen] = useState(false)
  const [openedMs] = useState(() => Date.now())
  const way = wayBack(run, {
    targetWorkspaceId: pipeline.targetWorkspaceId,
    newestNumber: pipeline.lastRun?.number,
    nowMs: openedMs,
  })
  if (run.state === 'running' || way === undefined || !may('mutate_infra')) return null
  return (
    <>
      <Button tone={way === 'roll_back' ? 'primary' : 'plain'} onClick={() => setOpen(true)}>
        {way === 'roll_back' ? 'Roll back to this…' : 'Deploy again…'}
      </Button>
      {open && <RollBackDialog {...{ run, place, pipeline, way }} onClose={() => setOpen(false)} />}
    </>
  )
}

type DialogProps = Props & { way: 'roll_back' | 'again'; onClose: () => void }

function RollBackDialog({ run, place, pipeline, way, onClose }: DialogProps) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { key, renew } = useStartKey(`rollback:${run.id}`)
  const start = useMutation({
    mutationFn: (form: FormData) => {
      const comment = textIn(form, 'comment').trim().replaceAll(/\s+/g, ' ')
      return call('rollBackPipelineRun', {
        params: { id: place.id, runId: place.runId },
        body: { ...(comment && { comment }) },
        idempotencyKey: key(),
      })
    },
    onSuccess: async ({ run: started }) => {
      renew()
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['pipelines', place.id] })
      await navigate({
        to: '/pipelines/$id/runs/$runId',
        params: { id: place.id, runId: started.id },
      })
    },
    // After a lost response the key stays: the run may have started.
    onError: (error) => {
      if (!mayPass(error)) renew()
    },
  })
  const name = nameOfRun(run)
  return (
    <FormDialog
      title={way === 'roll_back' ? `Roll back to ${name}?` : `Deploy ${name} again?`}
      description={
        <>
          <p>
            A new run brings the release of {name} to the hosts of{' '}
            {pipeline.targetWorkspaceName ?? 'the target'}. Nothing is built.{' '}
            {approvalWords(pipeline)}
          </p>
          <p>Runs that wait end. A deployment under way is stopped once this one may begin.</p>
        </>
      }
      act={way === 'roll_back' ? 'Roll back' : 'Deploy again'}
      acting="Starting…"
      doing={start}
      onSubmit={(form) => start.mutate(form)}
      onClose={onClose}
    >
      <TextField label="Comment (optional)" name="comment" rows={2} maxLength={500} hint="Why." />
    </FormDialog>
  )
}

function approvalWords({ criticality, rollbackApproval }: Pipeline): string {
  if (criticality !== 'production') return ''
  return rollbackApproval === 'once'
    ? 'It waits for a second person, unless this release was approved and healthy here within 90 days.'
    : 'It waits for a second person first.'
}
