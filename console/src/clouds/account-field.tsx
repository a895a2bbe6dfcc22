import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Select } from '../parts/forms.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { cloudAccountQuery, cloudAccountsQuery } from './queries.ts'

const freshMs = 60_000

type Props = {
  was: number | null
  disabled?: boolean
  /** Nothing is asked where no account is connected. */
  onlyIfAny?: true
}

/** The account whose credentials the runs of a workspace are lent. */
export function CloudAccountField({ was, disabled, onlyIfAny }: Props) {
  const query = useInfiniteQuery({ ...cloudAccountsQuery, refetchInterval: false })
  const accounts = query.data?.pages.flatMap((page) => page.accounts) ?? []
  // Held here: a select without the option yet would choose another one by itself, and a save would send that.
  const [chosen, setChosen] = useState(`${was ?? ''}`)
  if (onlyIfAny && accounts.length === 0) return null
  return (
    <div>
      <Select
        label="Cloud account"
        name="cloudAccountId"
        value={chosen}
        disabled={disabled}
        onChange={({ target }) => setChosen(target.value)}
        hint="Runs are lent what this account has for plans and applies."
      >
        <option value="">none: runs are lent no credentials</option>
        {was !== null && !accounts.some(({ id }) => id === was) && <UnlistedOption id={was} />}
        {accounts.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      {!disabled && <LoadMore query={query} byHand />}
    </div>
  )
}

/** An account that is not in the pages of the list that were read. */
function UnlistedOption({ id }: { id: number }) {
  return <option value={id}>{useAccountName(id)}</option>
}

/** The account of a workspace, which leads to its page. */
export function CloudAccountLink({ id }: { id: number }) {
  const name = useAccountName(id)
  return (
    <span>
      Cloud account{' '}
      <Link to="/clouds/$id" params={{ id }}>
        {name}
      </Link>
    </span>
  )
}

function useAccountName(id: number): string {
  const query = useQuery({
    ...cloudAccountQuery(id),
    refetchInterval: false,
    staleTime: freshMs,
  })
  return query.data?.account.name ?? `${id}`
}
