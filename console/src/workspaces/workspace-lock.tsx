import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ChangedMeanwhile } from '../parts/changed-meanwhile.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { Time } from '../parts/time.tsx'

type Lock = Workspace['locked']

/** Locks and unlocks the workspace. The lock of another person is released by force. */
export function LockControl({ workspace }: { workspace: Workspace }) {
  const me = useMe()
  // The lock that the question is about, as it was when the dialog opened; null: it asks to lock.
  const [asked, setAsked] = useState<{ lock: Lock }>()
  const { locked } = workspace
  const isForced = isOfAnother(locked, me.label)
  const mayChange =
    me.may('mutate_infra') &&
    locked?.holder.kind !== 'run' &&
    (!isForced || me.may('manage_cloud_accounts'))
  return (
    <>
      {mayChange && (
        <Button onClick={() => setAsked({ lock: locked })}>{locked ? 'Unlock…' : 'Lock…'}</Button>
      )}
      {asked && (
        <LockDialog
          workspace={workspace}
          lock={asked.lock}
          me={me.label}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

const isOfAnother = (lock: Lock, me: string): boolean => lock !== null && lock.holder.label !== me

const isSame = (one: Lock, other: Lock): boolean =>
  one?.holder.label === other?.holder.label && one?.holder.since === other?.holder.since

type DialogProps = { workspace: Workspace; lock: Lock; me: string; onClose: () => void }

/** Asks whether to lock, or to release this very lock. It sends nothing once the workspace has another one. */
function LockDialog({ workspace: { id, locked }, lock, me, onClose }: DialogProps) {
  const queryClient = useQueryClient()
  const force = isOfAnother(lock, me)
  const change = useMutation({
    mutationFn: (form: FormData) => {
      if (lock) return call('unlockWorkspace', { params: { id }, body: { force } })
      const reason = textIn(form, 'reason').trim()
      return call('lockWorkspace', { params: { id }, body: { ...(reason && { reason }) } })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
      onClose()
    },
  })
  const sent = change.isPending || change.isSuccess
  if (!isSame(lock, locked) && !sent) return <LockChanged {...{ lock: locked, me, onClose }} />
  return (
    <FormDialog
      title={lock ? 'Unlock the workspace?' : 'Lock the workspace?'}
      description={<p>{lockWords(lock, me)}</p>}
      act={lock ? (force ? 'Unlock by force' : 'Unlock') : 'Lock'}
      tone={force ? 'danger' : 'primary'}
      doing={change}
      onSubmit={(form) => change.mutate(form)}
      onClose={onClose}
    >
      {!lock && <Field label="Reason (optional)" name="reason" maxLength={1_000} />}
    </FormDialog>
  )
}

function lockWords(lock: Lock, me: string): string {
  if (!lock)
    return 'While it is locked, runs that apply wait before their plan and before their apply.'
  return isOfAnother(lock, me)
    ? `${lock.holder.label} holds this lock. A forced unlock is recorded, and can let two writers change one state at the same time.`
    : 'Runs that wait for the lock continue.'
}

function LockChanged({ lock, me, onClose }: Pick<DialogProps, 'lock' | 'me' | 'onClose'>) {
  return (
    <ChangedMeanwhile title="The lock changed meanwhile" onClose={onClose}>
      <p>
        {lock ? (
          <>
            {isOfAnother(lock, me) ? `${lock.holder.label} holds` : 'You hold'} the lock, since{' '}
            <Time at={lock.holder.since} />.
          </>
        ) : (
          'Nobody holds the lock now.'
        )}
      </p>
    </ChangedMeanwhile>
  )
}
