import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { call, mayPass } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn, TextField } from '../parts/forms.tsx'
import { useStartKey } from '../runs/start-key.ts'

/** What destroys, apart from everything else. */
export function Danger({ workspace }: { workspace: Workspace }) {
  return (
    <section className="danger-zone" aria-labelledby="danger-title">
      <h2 id="danger-title">Danger</h2>
      <DestroyResources workspace={workspace} />
      <DeleteWorkspace workspace={workspace} />
    </section>
  )
}

function DestroyResources({ workspace }: { workspace: Workspace }) {
  const [open, setOpen] = useState(false)
  return (
    <Act
      title="Destroy all resources"
      words="Plans to destroy everything that this workspace manages. The run always stops after its plan."
    >
      <Button tone="danger" onClick={() => setOpen(true)}>
        Destroy all resources…
      </Button>
      {open && <DestroyDialog workspace={workspace} onClose={() => setOpen(false)} />}
    </Act>
  )
}

type DialogProps = { workspace: Workspace; onClose: () => void }

function DestroyDialog({ workspace: { id, name, pipelineId, criticality }, onClose }: DialogProps) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const { key, renew } = useStartKey()
  const start = useMutation({
    mutationFn: (form: FormData) => {
      const message = textIn(form, 'message').trim()
      const body = { destroy: true, confirm: true, ...(message !== '' && { message }) }
      return call('applyWorkspace', { params: { id }, body, idempotencyKey: key })
    },
    onSuccess: ({ run }) => {
      renew()
      return navigate({
        to: '/pipelines/$id/runs/$runId',
        params: { id: pipelineId, runId: run.id },
      })
    },
    // After a lost response the key stays: the run may have started.
    onError: (error) => {
      if (!mayPass(error)) renew()
    },
  })
  return (
    <FormDialog
      title={`Destroy all resources of ${name}?`}
      description={
        <p>
          The run plans to destroy them and stops. Nothing is destroyed before{' '}
          {criticality === 'production'
            ? 'a second person has approved that plan.'
            : 'you or a colleague has confirmed that plan.'}
        </p>
      }
      act="Plan to destroy"
      acting="Starting…"
      tone="danger"
      mayAct={typed === name}
      doing={start}
      onSubmit={(form) => start.mutate(form)}
      onClose={onClose}
    >
      <Field
        label={
          <>
            Type <strong>{name}</strong> to go on
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextField label="Message (optional)" name="message" rows={2} maxLength={500} />
    </FormDialog>
  )
}

function DeleteWorkspace({ workspace: { id, name } }: { workspace: Workspace }) {
  const navigate = useNavigate()
  return (
    <Act
      title="Delete the workspace"
      words="Deletes its pipeline, its runs and its state too. It is refused while the state has resources: destroy them first."
    >
      <ConfirmButton
        label="Delete workspace…"
        tone="danger"
        title={`Delete ${name} for good?`}
        act="Delete"
        run={() => call('deleteWorkspace', { params: { id } })}
        refresh={['workspaces', 'list']}
        onDone={() => navigate({ to: '/workspaces' })}
      >
        Its files, variables, runs and all versions of its state are deleted too.
      </ConfirmButton>
    </Act>
  )
}

function Act({ title, words, children }: { title: string; words: string; children: ReactNode }) {
  return (
    <div className="danger-act">
      <div>
        <h3>{title}</h3>
        <p className="dim">{words}</p>
      </div>
      <div>{children}</div>
    </div>
  )
}
