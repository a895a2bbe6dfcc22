import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { peopleQuery } from '../api/queries.ts'
import { useMe } from '../app/session.ts'
import { Select } from '../parts/forms.tsx'

const freshMs = 60_000

/** The criticality of a new workspace. A person who is alone is told whom its runs will wait for. */
export function CriticalityField() {
  const { may } = useMe()
  const [criticality, setCriticality] = useState('standard')
  const isProduction = criticality === 'production'
  const people = useInfiniteQuery({
    ...peopleQuery(),
    enabled: isProduction,
    staleTime: freshMs,
  })
  const active = people.data?.pages.flatMap(({ users }) => users).filter((one) => one.active)
  return (
    <>
      <Select
        label="Criticality"
        name="criticality"
        value={criticality}
        onChange={({ target }) => setCriticality(target.value)}
        hint="Production waits for a second person before anything is applied."
      >
        <option value="standard">standard</option>
        <option value="production">production</option>
      </Select>
      {isProduction && active?.length === 1 && !people.hasNextPage && (
        <p className="note quiet" role="status">
          You are alone here. Invite a second person first: a person whom you invite after the
          workspace is created cannot approve its runs.{' '}
          {may('manage_users_sso') && (
            <Link to="/organization" search={{ invite: true }}>
              Invite a person
            </Link>
          )}
        </p>
      )}
    </>
  )
}
