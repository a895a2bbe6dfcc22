import type { ReactNode } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Time } from '../parts/time.tsx'

type Token = {
  id: number
  name: string
  prefix: string
  role: string
  lastUsedAt: string | null
  expiresAt: string
}

type Props<T extends Token> = {
  label: string
  tokens: readonly T[]
  /** Whose a token is, where not all are one's own. */
  whose?: Column<T>
  nameOf?: (token: T) => string
  revoke: { isPending: boolean; variables: number | undefined; mutate: (id: number) => void }
}

/** API tokens, one's own or everybody's, and the button that ends one. */
export function TokenTable<T extends Token>(props: Props<T>) {
  const { label, tokens, whose = false, nameOf = ({ name }) => name, revoke } = props
  const columns: ReadonlyArray<Column<T> | false> = [
    { title: 'Token', render: ({ name, prefix }) => <Named name={name}>{`${prefix}…`}</Named> },
    whose,
    { title: 'Role', render: ({ role }) => role },
    { title: 'Last used', look: 'dim', render: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
    { title: 'Ends', look: 'dim', render: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      title: 'Actions',
      look: 'actions',
      render: (token) => (
        <Button
          aria-label={`Revoke ${nameOf(token)}`}
          busy={revoke.isPending && revoke.variables === token.id}
          onClick={() =>
            confirm(`Revoke ${token.name}? What uses it stops working.`) && revoke.mutate(token.id)
          }
        >
          Revoke
        </Button>
      ),
    },
  ]
  return <DataTable label={label} rows={tokens} columns={columns} />
}

function Named({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      {name}
      <span className="row-sub">
        <code>{children}</code>
      </span>
    </>
  )
}

export const LastUsed = ({ at }: { at: string | null }) =>
  at === null ? 'never' : <Time at={at} />
