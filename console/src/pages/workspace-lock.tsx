import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** Locks and unlocks: one's own lock at once, somebody else's by force. */
export function LockControl({ workspace }: { workspace: Workspace }) {
  const me = useMe()
  const queryClient = useQueryClient()
  const [open, setOpen] = useState(false)
  const { id, locked } = workspace
  const force = locked !== null && locked.holder.label !== me.label
  const change = useMutation({
    mutationFn: (form: FormData) => {
      if (locked) return call('unlockWorkspace', { params: { id }, body: { force } })
      const reason = textIn(form, 'reason').trim()
      return call('lockWorkspace', { params: { id }, body: { ...(reason && { reason }) } })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
      setOpen(false)
    },
  })
  if (!me.may('mutate_infra') || locked?.holder.kind === 'run') return null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(new FormData(event.currentTarget))
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{locked ? 'Unlock…' : 'Lock…'}</Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={locked ? 'Unlock the workspace?' : 'Lock the workspace?'}
        description={
          locked ? (
            <p>
              {force
                ? `${locked.holder.label} holds this lock. Freeing it by force is recorded, and may let two writers at one state.`
                : 'Runs that wait for the lock go on.'}
            </p>
          ) : (
            <p>While it is locked, runs wait: none plans to apply, and none applies.</p>
          )
        }
      >
        <form onSubmit={submit} className="stack">
          {!locked && <Field label="Reason (optional)" name="reason" maxLength={1_000} />}
          <ErrorNote error={change.error} />
          <div className="dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" tone={force ? 'danger' : 'primary'} busy={change.isPending}>
              {locked ? (force ? 'Unlock by force' : 'Unlock') : 'Lock'}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
