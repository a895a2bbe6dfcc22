import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Body } from '../api/call.ts'
import { mappableRoles } from '../api/roles.ts'
import type { Saml } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, Select, textIn } from '../parts/forms.tsx'

/** Maps SAML attributes to the fields of a person, and sets the role of people without a mapped group. */
export function SsoMappingDialog({ saml, onClose }: { saml: Saml; onClose: () => void }) {
  const { user } = useMe()
  const queryClient = useQueryClient()
  const roles = mappableRoles(user.role)
  const save = useMutation({
    mutationFn: (body: Body<'saveSaml'>) => call('saveSaml', { body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sso'] })
      onClose()
    },
  })
  const submit = (form: FormData) => {
    const named = (name: string) => textIn(form, name).trim() || null
    const role = roles.find((one) => one === textIn(form, 'role'))
    save.mutate({
      // The API requires the entity ID in each save without metadata.
      idpEntityId: saml.idpEntityId,
      attrEmail: named('email'),
      attrName: named('name'),
      attrGroups: named('groups'),
      ...(role && { defaultRole: role }),
    })
  }
  return (
    <FormDialog
      title="Attributes of a person"
      description={
        <p className="dim">
          The attribute names that the provider sends. A failed test shows which it received.
        </p>
      }
      act="Save"
      doing={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Address"
        name="email"
        defaultValue={saml.attrEmail ?? ''}
        maxLength={500}
        spellCheck={false}
        placeholder="email"
        hint="If it is empty, the NameID is the address."
      />
      <Field
        label="Name"
        name="name"
        defaultValue={saml.attrName ?? ''}
        maxLength={500}
        spellCheck={false}
        placeholder="displayName"
      />
      <Field
        label="Groups"
        name="groups"
        defaultValue={saml.attrGroups ?? ''}
        maxLength={500}
        spellCheck={false}
        placeholder="groups"
        hint="Which group gives which role is set under Provisioning."
      />
      <Select
        label="Role without a group"
        name="role"
        defaultValue={saml.defaultRole}
        hint="The role of a new person who is in no mapped group."
      >
        {roles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </Select>
    </FormDialog>
  )
}
