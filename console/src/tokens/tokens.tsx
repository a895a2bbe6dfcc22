import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { tokensQuery } from './queries.ts'
import { rolesUpTo } from '../api/roles.ts'
import { useMe } from '../app/session.ts'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { LockedCredentials } from '../parts/locked-credentials.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { OrganizationTokens } from './organization-tokens.tsx'
import { TokenTable } from './token-table.tsx'

/** The API tokens of the signed-in person, for scripts, CI and a local tofu that uses a workspace as backend. */
export function TokensPage() {
  const { may, auth } = useMe()
  const query = useQuery(tokensQuery)
  const [open, setOpen] = useState(false)
  const tokens = query.data?.tokens ?? []
  const create = auth.mayChangeCredentials && (
    <Button tone="primary" onClick={() => setOpen(true)}>
      New token
    </Button>
  )
  return (
    <>
      <LockedCredentials />
      <ErrorNote error={query.error} />
      {query.isPending && <Loading what="tokens" />}
      {query.isSuccess && tokens.length === 0 && (
        <div className="section">
          <Empty title="You have no API tokens">
            <p>
              With a token, a script, CI or a local tofu can act for you, up to the role of the
              token.
            </p>
            {create}
          </Empty>
        </div>
      )}
      {tokens.length > 0 && (
        <div className="section">
          <div className="list-head">
            <h2>Your tokens</h2>
            {create}
          </div>
          <TokenTable label="Your tokens" tokens={tokens} revoke={revokeMine} />
        </div>
      )}
      {may('manage_users_sso') && <OrganizationTokens />}
      {open && <NewToken onClose={() => setOpen(false)} />}
    </>
  )
}

const revokeMine = (id: number) => call('revokeMyToken', { params: { id } })

function NewToken({ onClose }: { onClose: () => void }) {
  const { user } = useMe()
  const create = (form: FormData) =>
    call('createMyToken', {
      body: {
        name: textIn(form, 'name').trim(),
        role: rolesUpTo(user.role).find((one) => one === textIn(form, 'role')) ?? 'Viewer',
        expiresInDays: Number(textIn(form, 'days')),
      },
    })
  return (
    <SecretDialog
      title="New token"
      made="Your token"
      create={create}
      refresh={['tokens']}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={200}
        autoComplete="off"
        hint="The script or system that uses the token."
      />
      <Select
        label="Role"
        name="role"
        hint="The highest role of the token. It never exceeds your own role."
      >
        {rolesUpTo(user.role === 'Owner' ? 'Org Admin' : user.role).map((role) => (
          <option key={role}>{role}</option>
        ))}
      </Select>
      <Field
        label="Days until it ends"
        name="days"
        type="number"
        min={1}
        max={365}
        defaultValue={90}
        required
      />
    </SecretDialog>
  )
}
