import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { groupMappingsQuery } from './queries.ts'
import { mappableRoles } from '../api/roles.ts'
import type { GroupMapping } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'

/** Maps groups of the identity provider to roles. The mappings apply to single sign-on and to provisioning. */
export function GroupMappings() {
  const { user } = useMe()
  const query = useInfiniteQuery(groupMappingsQuery)
  const [edited, setEdited] = useState<GroupMapping | 'new'>()
  const mappings = query.data?.pages.flatMap((page) => page.groupMappings) ?? []
  const own = mappableRoles(user.role)
  return (
    <section className="section" aria-labelledby="groups-title">
      <div className="list-head">
        <h2 id="groups-title">Groups and roles</h2>
        <Button onClick={() => setEdited('new')}>Map a group</Button>
      </div>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="groups" />}
      {query.isSuccess && mappings.length === 0 && (
        <p className="dim quiet-line">
          No group gives a role. If you map one, its members get the role at their next sign-in, or
          when provisioning sends the members of the group.
        </p>
      )}
      <DataTable
        label="Groups with their roles"
        rows={mappings}
        columns={[
          { title: 'Group', render: ({ groupName }) => groupName },
          { title: 'Gives', render: ({ role }) => role },
          {
            title: 'Members',
            look: 'dim',
            render: ({ members }) => plural(members, 'person', 'people'),
          },
          {
            title: 'Actions',
            look: 'actions',
            render: (mapping) =>
              own.includes(mapping.role) && (
                <>
                  <Button
                    aria-label={`Change ${mapping.groupName}`}
                    onClick={() => setEdited(mapping)}
                  >
                    Change
                  </Button>
                  <ConfirmButton
                    label="Unmap…"
                    name={`Unmap ${mapping.groupName}`}
                    title={`Take the role ${mapping.role} from ${mapping.groupName}?`}
                    act="Unmap"
                    run={() => call('unmapGroup', { params: { id: mapping.id } })}
                    refresh={['sso']}
                  >
                    {`${lostWords(mapping.members)} Their approvals that are not yet applied become void.`}
                  </ConfirmButton>
                </>
              ),
          },
        ]}
      />
      <LoadMore query={query} />
      {edited && (
        <MappingDialog
          mapping={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  )
}

const lostWords = (members: number) =>
  members === 0
    ? 'Nobody is in it now.'
    : `${plural(members, 'person loses', 'people lose')} it at once.`

type DialogProps = { mapping: GroupMapping | undefined; onClose: () => void }

function MappingDialog({ mapping, onClose }: DialogProps) {
  const { user } = useMe()
  const queryClient = useQueryClient()
  const roles = mappableRoles(user.role)
  const save = useMutation({
    mutationFn: (form: FormData) =>
      call('mapGroup', {
        body: {
          groupName: mapping?.groupName ?? textIn(form, 'group').trim(),
          role: roles.find((one) => one === textIn(form, 'role')) ?? 'Viewer',
        },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sso'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={mapping?.groupName ?? 'Map a group'}
      act="Save"
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      {!mapping && (
        <Field
          label="Group"
          name="group"
          required
          maxLength={256}
          autoComplete="off"
          hint="The name of the group at the identity provider."
        />
      )}
      <Select
        label="Role"
        name="role"
        defaultValue={mapping?.role}
        hint="A person in several groups gets the highest of their roles."
      >
        {roles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </Select>
    </FormDialog>
  )
}
