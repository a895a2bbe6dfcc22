import type { ReactNode } from 'react'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
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
  /** The column with the owner, for a list with tokens of several people. */
  whose?: Column<T>
  nameOf?: (token: T) => string
  revoke: (id: number) => Promise<unknown>
}

/** A table of API tokens with a button that revokes one. */
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
        <ConfirmButton
          label="Revoke…"
          name={`Revoke ${nameOf(token)}`}
          title={`Revoke ${nameOf(token)}?`}
          act="Revoke"
          run={() => revoke(token.id)}
          refresh={['tokens']}
        >
          {`Requests with this token are refused from now on. Last used: `}
          <LastUsed at={token.lastUsedAt} />
        </ConfirmButton>
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
