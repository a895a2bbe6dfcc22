import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { ssoQuery } from '../saml/queries.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { CopyLine } from '../parts/copy-line.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { SecretDialog } from '../tokens/secret-dialog.tsx'
import { Time } from '../parts/time.tsx'
import { LastUsed } from '../tokens/token-table.tsx'

/** The base URL and the tokens that an identity provider needs for SCIM. */
export function ScimTokens() {
  const query = useQuery(ssoQuery)
  const [open, setOpen] = useState(false)
  const scim = query.data?.scim
  return (
    <section className="section" aria-labelledby="scim-title">
      <div className="list-head">
        <h2 id="scim-title">Provisioning by SCIM 2.0</h2>
        <Button onClick={() => setOpen(true)}>New SCIM token</Button>
      </div>
      <ErrorNote error={query.error} goesOn />
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
                  <ConfirmButton
                    label="Revoke…"
                    name={`Revoke ${name}`}
                    title={`Revoke ${name}?`}
                    act="Revoke"
                    run={() => call('revokeScimToken', { params: { id } })}
                    refresh={['sso']}
                  >
                    The identity provider can no longer change anything here; people and groups stay
                    as they are.
                  </ConfirmButton>
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
  return (
    <SecretDialog
      title="New SCIM token"
      made="Your SCIM token"
      create={(form) => call('createScimToken', { body: { name: textIn(form, 'name').trim() } })}
      refresh={['sso']}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={200}
        autoComplete="off"
        hint="The identity provider that uses the token. It has the permissions of an Org Admin for people, and no others."
      />
    </SecretDialog>
  )
}
