import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call, mayPass } from '../api/call.ts'
import { workspaceQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { useOpening } from '../app/use-opening.ts'
import { Dialog } from '../parts/dialog.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, textIn, TextField } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { RunVariables } from './run-variables.tsx'
import { StartChoices, type StartKind } from './start-choices.tsx'
import { useStartKey } from './start-key.ts'
import { variablesIn } from './variables-in.ts'

type Target = {
  workspaceId: number
  /** The pipeline that the run is started through, if it is not the workspace's own. */
  pipelineId?: number
}
type Offer = Target & {
  label?: string
  /** A link asked for the dialog. */
  begins?: boolean
  /** What the dialog begins with. */
  first?: StartKind
}

/** The only way to start a run in the console: its dialog says what the run does before anything starts. */
export function StartRun({ label = 'Start a run…', begins = false, ...offer }: Offer) {
  const { may } = useMe()
  const dialog = useOpening('start', begins)
  if (!may('mutate_infra')) return null
  return (
    <>
      <Button tone="primary" onClick={dialog.open}>
        {label}
      </Button>
      {dialog.isOpen && <StartDialog {...offer} onClose={dialog.close} />}
    </>
  )
}

type DialogProps = Omit<Offer, 'label' | 'begins'> & { onClose: () => void }

/** Asks what the run does, and starts it. */
export function StartDialog({ onClose, ...target }: DialogProps) {
  const query = useQuery(workspaceQuery(target.workspaceId))
  const workspace = query.data?.workspace
  if (workspace) return <StartForm {...target} workspace={workspace} onClose={onClose} />
  return (
    <Dialog title="Start a run" onClose={onClose}>
      {query.isPending ? <Loading what="the workspace" /> : <ErrorNote error={query.error} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  )
}

type FormProps = DialogProps & { workspace: Workspace }

function StartForm({ workspace, pipelineId, first = 'ask', onClose }: FormProps) {
  const navigate = useNavigate()
  const [kind, setKind] = useState<StartKind>(first)
  const { id } = workspace
  const { key, renew } = useStartKey(`start:${id}:${pipelineId ?? ''}`)
  const start = useMutation({
    mutationFn: (form: FormData) =>
      send({ form, kind, workspace, pipelineId, idempotencyKey: key() }),
    onSuccess: ({ run }) => {
      renew()
      return run.kind === 'plan'
        ? navigate({ to: '/workspaces/$id/runs/$runId', params: { id, runId: run.id } })
        : navigate({
            to: '/pipelines/$id/runs/$runId',
            params: { id: pipelineId ?? workspace.pipelineId, runId: run.id },
          })
    },
    // After a lost response the key stays: the run may have started.
    onError: (error) => {
      if (!mayPass(error)) renew()
    },
  })
  return (
    <FormDialog
      title={`Start a run of ${workspace.name}`}
      act="Start run"
      acting="Starting…"
      doing={start}
      onSubmit={(form) => start.mutate(form)}
      onClose={onClose}
    >
      <StartChoices workspace={workspace} value={kind} onChange={setKind} />
      <TextField
        label="Message (optional)"
        name="message"
        rows={2}
        maxLength={500}
        hint="Why you start it. It is shown with the run."
      />
      <RunVariables />
    </FormDialog>
  )
}

type Sending = {
  form: FormData
  kind: StartKind
  workspace: Workspace
  pipelineId: number | undefined
  idempotencyKey: string
}

const mayHaveStarted =
  'A run was sent with other values before, and may have started. Look at the list of runs before you start another one.'

async function send(sending: Sending) {
  try {
    return await request(sending)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'idempotency_key_reused')
      throw new Error(mayHaveStarted, { cause: error })
    throw error
  }
}

function request({ form, kind, workspace, pipelineId, idempotencyKey }: Sending) {
  // One line, as it is shown in lists and mails.
  const message = textIn(form, 'message').trim().replaceAll(/\s+/g, ' ')
  const vars = variablesIn(form)
  const body = { ...(message !== '' && { message }), ...(vars && { vars }) }
  const params = { id: workspace.id }
  if (kind === 'plan') return call('planWorkspace', { params, body, idempotencyKey })
  const applied = { ...body, confirm: kind === 'ask' }
  return pipelineId === undefined
    ? call('applyWorkspace', { params, body: applied, idempotencyKey })
    : call('runPipeline', { params: { id: pipelineId }, body: applied, idempotencyKey })
}
