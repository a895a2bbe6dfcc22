import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { call, type Body } from '../api/call.ts'
import { rolesUpTo } from '../api/roles.ts'
import type { Person } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button, Check, Field, Select, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** Changes one person: what they are called, what they may, and whether they still come in. */
export function PersonDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const me = useMe()
  const queryClient = useQueryClient()
  const done = async () => {
    await queryClient.invalidateQueries({ queryKey: ['people'] })
    onClose()
  }
  const save = useMutation({
    mutationFn: (body: Body<'updateUser'>) =>
      call('updateUser', { params: { id: person.id }, body }),
    onSuccess: done,
  })
  const remove = useMutation({
    mutationFn: () => call('deleteUser', { params: { id: person.id } }),
    onSuccess: done,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
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
    <Dialog open onOpenChange={(open) => !open && onClose()} title={person.name}>
      <form onSubmit={submit} className="stack">
        <Field label="Name" name="name" defaultValue={person.name} required maxLength={200} />
        <Select label="Role" name="role" defaultValue={person.role}>
          {rolesUpTo(me.user.role).map((role) => (
            <option key={role}>{role}</option>
          ))}
        </Select>
        <Check label="Active: may sign in" name="active" defaultChecked={person.active} />
        <p className="dim">
          Whoever is deactivated or demoted loses their sessions, and approvals of theirs that were
          not applied yet no longer count.
        </p>
        <ErrorNote error={save.error ?? remove.error} />
        <div className="dialog-actions">
          <Button
            tone="danger"
            busy={remove.isPending}
            onClick={() => confirm(`Delete ${person.name}?`) && remove.mutate()}
          >
            Delete
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
