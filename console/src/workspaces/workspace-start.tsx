import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { useStartKey } from '../runs/start-key.ts'

type Kind = 'apply' | 'plan' | 'destroy'

/** Starts a run of one of three kinds. The dialog explains what each kind does. */
export function StartRun({ workspace }: { workspace: Workspace }) {
  const { may } = useMe()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const { key, renew } = useStartKey()
  const { id, pipelineId, criticality } = workspace
  const start = useMutation({
    mutationFn: (kind: Kind) =>
      call(kind === 'plan' ? 'planWorkspace' : 'applyWorkspace', {
        params: { id },
        body: kind === 'destroy' ? { destroy: true } : {},
        idempotencyKey: `${key}-${kind}`,
      }),
    onSuccess: ({ run }) => {
      renew()
      return run.kind === 'plan'
        ? navigate({ to: '/workspaces/$id/runs/$runId', params: { id, runId: run.id } })
        : navigate({
            to: '/pipelines/$id/runs/$runId',
            params: { id: pipelineId, runId: run.id },
          })
    },
  })
  if (!may('mutate_infra')) return null
  const then =
    criticality === 'production'
      ? 'waits until a second person approves the plan, and applies it'
      : 'applies the plan by itself once both gates have passed'
  const close = () => {
    setOpen(false)
    start.reset()
  }
  return (
    <>
      <Button tone="primary" onClick={() => setOpen(true)}>
        Start a run…
      </Button>
      {open && (
        <Dialog title={`Start a run of ${workspace.name}`} onClose={close}>
          <div className="stack">
            <StartChoice
              label="Plan and apply"
              tone="primary"
              onStart={() => start.mutate('apply')}
              busy={start.isPending}
            >
              Plans what would change, checks it against policies and cost, {then}.
            </StartChoice>
            <StartChoice
              label="Plan only"
              onStart={() => start.mutate('plan')}
              busy={start.isPending}
            >
              Shows what would change. It never applies.
            </StartChoice>
            <StartChoice
              label="Plan to destroy"
              tone="danger"
              onStart={() => start.mutate('destroy')}
              busy={start.isPending}
            >
              Plans to destroy all resources of the workspace, {then}.
            </StartChoice>
            <ErrorNote error={start.error} />
            <div className="dialog-actions">
              <Button onClick={close}>Cancel</Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}

type ChoiceProps = {
  label: string
  tone?: 'primary' | 'danger'
  busy: boolean
  onStart: () => void
  children: React.ReactNode
}

function StartChoice({ label, tone, busy, onStart, children }: ChoiceProps) {
  return (
    <div className="choice">
      <p className="dim">{children}</p>
      <Button {...(tone && { tone })} busy={busy} onClick={onStart}>
        {label}
      </Button>
    </div>
  )
}
