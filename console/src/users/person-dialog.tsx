import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Body } from '../api/call.ts'
import { rolesUpTo } from '../api/roles.ts'
import type { Person } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, Select, textIn } from '../parts/forms.tsx'

/** Changes one person: name, role, and whether they may sign in. */
export function PersonDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const me = useMe()
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: (body: Body<'updateUser'>) =>
      call('updateUser', { params: { id: person.id }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['people'] })
      onClose()
    },
  })
  const submit = (form: FormData) => {
    const role = rolesUpTo(me.user.role).find((one) => one === textIn(form, 'role'))
    const name = textIn(form, 'name').trim()
    const active = form.get('active') !== null
    save.mutate({
      ...(name !== person.name && { name }),
      ...(role !== undefined && role !== person.role && { role }),
      ...(active !== person.active && { active }),
    })
  }
  return (
    <FormDialog
      title={person.name}
      act="Save"
      doing={save}
      beside={
        <>
          {person.id !== me.user.id && <RemoveFactor person={person} onDone={onClose} />}
          <ConfirmButton
            label="Delete…"
            tone="danger"
            title={`Delete ${person.name}?`}
            act="Delete"
            run={() => call('deleteUser', { params: { id: person.id } })}
            refresh={['people']}
            onDone={onClose}
          >
            Their sessions and API tokens end at once. What they did stays in the audit log under
            their name.
          </ConfirmButton>
        </>
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" name="name" defaultValue={person.name} required maxLength={200} />
      <Select label="Role" name="role" defaultValue={person.role}>
        {rolesUpTo(me.user.role).map((role) => (
          <option key={role}>{role}</option>
        ))}
      </Select>
      <Check label="Active: may sign in" name="active" defaultChecked={person.active} />
      <p className="dim">
        If you deactivate or demote a person, their sessions end, and their approvals that are not
        yet applied become void.
      </p>
    </FormDialog>
  )
}

function RemoveFactor({ person, onDone }: { person: Person; onDone: () => void }) {
  return (
    <ConfirmButton
      label="Remove second factor…"
      title={`Remove the second factor of ${person.name}?`}
      act="Remove it"
      tone="danger"
      run={() => call('removeUserSecondFactor', { params: { id: person.id } })}
      refresh={['people']}
      onDone={onDone}
    >
      For a person who lost their phone and their recovery codes. They can then sign in with their
      password alone, their sessions end, and they get a mail about it.
    </ConfirmButton>
  )
}
