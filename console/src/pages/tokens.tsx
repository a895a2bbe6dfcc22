import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { tokensQuery } from '../api/queries.ts'
import { rolesUpTo } from '../api/roles.ts'
import { useMe } from '../app/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { OrganizationTokens } from './organization-tokens.tsx'
import { TokenTable } from './token-table.tsx'

/** One's own API tokens: for scripts, for CI, and for one's own tofu against a workspace. */
export function TokensPage() {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const query = useQuery(tokensQuery)
  const [open, setOpen] = useState(false)
  const revoke = useMutation({
    mutationFn: (id: number) => call('revokeMyToken', { params: { id } }),
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const tokens = query.data?.tokens ?? []
  const create = (
    <Button tone="primary" onClick={() => setOpen(true)}>
      New token
    </Button>
  )
  return (
    <>
      <ErrorNote error={query.error ?? revoke.error} />
      {query.isPending && <Loading what="tokens" />}
      {query.isSuccess && tokens.length === 0 && (
        <Empty title="You have no API tokens">
          <p>A token lets a script, CI or your own tofu act for you, up to the role you give it.</p>
          {create}
        </Empty>
      )}
      {tokens.length > 0 && (
        <div className="section">
          <div className="list-head">
            <h2>Your tokens</h2>
            {create}
          </div>
          <TokenTable label="Your tokens" tokens={tokens} revoke={revoke} />
        </div>
      )}
      {may('manage_users_sso') && <OrganizationTokens />}
      {open && <NewToken onClose={() => setOpen(false)} />}
    </>
  )
}

function NewToken({ onClose }: { onClose: () => void }) {
  const { user } = useMe()
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: (form: FormData) => {
      const role = rolesUpTo(user.role).find((one) => one === textIn(form, 'role')) ?? 'Viewer'
      return call('createMyToken', {
        body: {
          name: textIn(form, 'name').trim(),
          role,
          expiresInDays: Number(textIn(form, 'days')),
        },
      })
    },
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(new FormData(event.currentTarget))
  }
  const made = create.data
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={made ? 'Your token' : 'New token'}
    >
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
            hint="What uses it."
          />
          <Select label="Role" name="role" hint="A ceiling: never more than you may yourself.">
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
