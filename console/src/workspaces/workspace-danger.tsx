import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { ApiError, call, mayPass } from '../api/call.ts'
import { lowestRoleWith } from '../api/roles.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
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
  const { key, renew } = useStartKey(`destroy:${id}`)
  const start = useMutation({
    mutationFn: (form: FormData) => {
      const message = textIn(form, 'message').trim()
      const body = { destroy: true, confirm: true, ...(message !== '' && { message }) }
      return call('applyWorkspace', { params: { id }, body, idempotencyKey: key() })
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
      <NameField name={name} value={typed} onType={setTyped} />
      <TextField label="Message (optional)" name="message" rows={2} maxLength={500} />
    </FormDialog>
  )
}

function DeleteWorkspace({ workspace }: { workspace: Workspace }) {
  const [open, setOpen] = useState(false)
  return (
    <Act
      title="Delete the workspace"
      words="Deletes its pipeline, its runs and its state too. It is refused while the state has resources: destroy them first."
    >
      <Button tone="danger" onClick={() => setOpen(true)}>
        Delete workspace…
      </Button>
      {open && <DeleteDialog workspace={workspace} onClose={() => setOpen(false)} />}
    </Act>
  )
}

/** Offers to leave the resources running once the deletion was refused because of them. */
function DeleteDialog({ workspace: { id, name }, onClose }: DialogProps) {
  const { may } = useMe()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: (abandon: boolean) =>
      call('deleteWorkspace', { params: { id }, ...(abandon && { query: { abandon } }) }),
    onSuccess: async () => {
      await navigate({ to: '/workspaces' })
      await queryClient.invalidateQueries({ queryKey: ['workspaces', 'list'] })
    },
  })
  const holds = remove.error instanceof ApiError && remove.error.code === 'state_not_empty'
  const [leaves, setLeaves] = useState(false)
  if (holds && !leaves && may('manage_cloud_accounts')) setLeaves(true)
  return (
    <FormDialog
      title={`Delete ${name} for good?`}
      description={<p>Its files, variables, runs and all versions of its state are deleted too.</p>}
      act={leaves ? 'Leave resources and delete' : 'Delete'}
      tone="danger"
      // The button has another meaning now, so a second click on it must not be enough.
      mayAct={!leaves || typed === name}
      doing={remove}
      onSubmit={() => remove.mutate(leaves)}
      onClose={onClose}
    >
      {leaves && (
        <>
          <p>
            Resources that are left go on running and costing money, and no workspace manages them
            any more.
          </p>
          <NameField name={name} value={typed} onType={setTyped} />
        </>
      )}
      {holds && !leaves && (
        <p>Leaving them running requires the role {lowestRoleWith('manage_cloud_accounts')}.</p>
      )}
    </FormDialog>
  )
}

type NameProps = { name: string; value: string; onType: (typed: string) => void }

function NameField({ name, value, onType }: NameProps) {
  return (
    <Field
      label={
        <>
          Type <strong>{name}</strong> to go on
        </>
      }
      value={value}
      onChange={(event) => onType(event.target.value)}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
    />
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
