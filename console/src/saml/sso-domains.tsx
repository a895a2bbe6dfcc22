import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Saml } from '../api/types.ts'
import { DataTable } from '../parts/data-table.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, textIn, TextField } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** The email domains that use this provider, and the DNS record that proves the ownership of a domain. */
export function SsoDomains({ saml }: { saml: Saml }) {
  const queryClient = useQueryClient()
  const [open, setOpen] = useState(false)
  const check = useMutation({
    mutationFn: () => call('checkSamlDomains', {}),
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: ['sso'] }),
  })
  const { domains, domainProofRequired } = saml
  const waiting = domainProofRequired && domains.some(({ proved }) => !proved)
  return (
    <section className="section" aria-labelledby="domains-title">
      <div className="list-head">
        <h2 id="domains-title">Email domains</h2>
        <div className="actions">
          {waiting && (
            <Button busy={check.isPending} onClick={() => check.mutate()}>
              Look for the records
            </Button>
          )}
          <Button onClick={() => setOpen(true)}>Change the domains…</Button>
        </div>
      </div>
      <ErrorNote error={check.error} />
      {domains.length === 0 && (
        <p className="dim quiet-line">
          No domains. People sign in with the short name of the organization, not their address.
        </p>
      )}
      <DataTable
        label="Domains with their state"
        rows={domains.map((one) => ({ ...one, id: one.domain }))}
        columns={[
          { title: 'Domain', render: ({ domain }) => domain },
          {
            title: 'State',
            render: ({ proved }) =>
              !domainProofRequired || proved ? (
                <span className="badge good">✓ {domainProofRequired ? 'proved' : 'in use'}</span>
              ) : (
                <span className="badge warn">waits for its record</span>
              ),
          },
          domainProofRequired && {
            title: 'DNS record',
            render: ({ record }) => (
              <code className="detail">
                {record.name} {record.type} {record.value}
              </code>
            ),
          },
        ]}
      />
      {open && <DomainsDialog saml={saml} onClose={() => setOpen(false)} />}
    </section>
  )
}

function DomainsDialog({ saml, onClose }: { saml: Saml; onClose: () => void }) {
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: (emailDomains: string[]) =>
      call('saveSaml', { body: { idpEntityId: saml.idpEntityId, emailDomains } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sso'] })
      onClose()
    },
  })
  const submit = (form: FormData) =>
    save.mutate(
      textIn(form, 'domains')
        .split(/[\s,;]+/)
        .filter(Boolean),
    )
  return (
    <FormDialog title="Email domains" act="Save" doing={save} onSubmit={submit} onClose={onClose}>
      <TextField
        label="Domains"
        name="domains"
        rows={4}
        spellCheck={false}
        defaultValue={saml.emailDomains.join('\n')}
        placeholder="northwind.example"
        hint="One domain in each line. A person with an address in one of them signs in through your provider."
      />
    </FormDialog>
  )
}
