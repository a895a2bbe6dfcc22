import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'

/** Locks and unlocks the workspace. The lock of another person is released by force. */
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
  if (force && !me.may('manage_cloud_accounts')) return null
  const close = () => {
    setOpen(false)
    change.reset()
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{locked ? 'Unlock…' : 'Lock…'}</Button>
      {open && (
        <FormDialog
          title={locked ? 'Unlock the workspace?' : 'Lock the workspace?'}
          description={
            locked ? (
              <p>
                {force
                  ? `${locked.holder.label} holds this lock. A forced unlock is recorded, and can let two writers change one state at the same time.`
                  : 'Runs that wait for the lock continue.'}
              </p>
            ) : (
              <p>
                While it is locked, runs that apply wait before their plan and before their apply.
              </p>
            )
          }
          act={locked ? (force ? 'Unlock by force' : 'Unlock') : 'Lock'}
          tone={force ? 'danger' : 'primary'}
          doing={change}
          onSubmit={(form) => change.mutate(form)}
          onClose={close}
        >
          {!locked && <Field label="Reason (optional)" name="reason" maxLength={1_000} />}
        </FormDialog>
      )}
    </>
  )
}
