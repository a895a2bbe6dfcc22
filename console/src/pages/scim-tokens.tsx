import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { ssoQuery } from '../api/queries.ts'
import { CopyLine } from '../parts/copy-line.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { Time } from '../parts/time.tsx'
import { LastUsed } from './token-table.tsx'

/** What an identity provider needs to look after people here: an address and a token. */
export function ScimTokens() {
  const queryClient = useQueryClient()
  const query = useQuery(ssoQuery)
  const [open, setOpen] = useState(false)
  const revoke = useMutation({
    mutationFn: (id: number) => call('revokeScimToken', { params: { id } }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['sso'] }),
  })
  const scim = query.data?.scim
  return (
    <section className="section" aria-labelledby="scim-title">
      <div className="list-head">
        <h2 id="scim-title">Provisioning by SCIM 2.0</h2>
        <Button onClick={() => setOpen(true)}>New SCIM token</Button>
      </div>
      <ErrorNote error={query.error ?? revoke.error} goesOn />
      {query.isPending && <Loading what="SCIM tokens" />}
      {scim && (
        <>
          <dl className="copy-lines">
            <CopyLine label="Base URL" text={scim.baseUrl} />
          </dl>
          {scim.tokens.length === 0 && (
            <p className="dim quiet-line">
              No token yet. With one, an identity provider creates, changes and deactivates people
              here, and says who is in which group.
            </p>
          )}
          <DataTable
            label="SCIM tokens"
            rows={scim.tokens}
            columns={[
              { title: 'Token', render: ({ name }) => name },
              { title: 'Made by', render: ({ createdBy }) => createdBy ?? '–' },
              { title: 'Made', look: 'dim', render: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Last used',
                look: 'dim',
                render: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} />,
              },
              {
                title: 'Actions',
                look: 'actions',
                render: ({ id, name }) => (
                  <Button
                    aria-label={`Revoke ${name}`}
                    busy={revoke.isPending && revoke.variables === id}
                    onClick={() =>
                      confirm(
                        `Revoke ${name}? The identity provider can change nothing here any more; people and groups stay as they are.`,
                      ) && revoke.mutate(id)
                    }
                  >
                    Revoke
                  </Button>
                ),
              },
            ]}
          />
        </>
      )}
      {open && <NewScimToken onClose={() => setOpen(false)} />}
    </section>
  )
}

function NewScimToken({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: (name: string) => call('createScimToken', { body: { name } }),
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: ['sso'] }),
  })
  const made = create.data
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(textIn(new FormData(event.currentTarget), 'name').trim())
  }
  return (
    <Dialog open onOpenChange={onClose} title={made ? 'Your SCIM token' : 'New SCIM token'}>
      {made ? (
        <SecretOnce secret={made.token} onClose={onClose} />
      ) : (
        <form onSubmit={submit} className="stack">
          <Field
            label="Name"
            name="name"
            required
            maxLength={200}
            autoComplete="off"
            hint="Which identity provider uses it. It has the power of an Org Admin over people, and nothing else."
          />
          <ErrorNote error={create.error} />
          <div className="dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" tone="primary" busy={create.isPending}>
              Create token
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
