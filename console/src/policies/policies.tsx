import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { policiesQuery } from '../api/queries.ts'
import type { Policy } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { UnseenPlans } from './unseen-plans.tsx'

/** The policies that every plan is checked against. */
export function PoliciesPage() {
  const { may } = useMe()
  const query = useInfiniteQuery(policiesQuery)
  const [edited, setEdited] = useState<Policy | 'new'>()
  const policies = query.data?.pages.flatMap((page) => page.policies) ?? []
  if (edited)
    return (
      <PolicyEditor
        policy={edited === 'new' ? undefined : edited}
        onClose={() => setEdited(undefined)}
      />
    )
  const create = may('manage_users_sso') && (
    <Button tone="primary" onClick={() => setEdited('new')}>
      New policy
    </Button>
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="policies" />}
      {query.isSuccess && policies.length === 0 && (
        <Empty title="No policies yet">
          <p>A policy in Rego checks each plan before it can be applied, and denies it or warns.</p>
          {create || <p>An Org Admin writes the first one.</p>}
        </Empty>
      )}
      {policies.length > 0 && (
        <div className="list-head">
          <p className="dim">
            Each plan is checked against these policies before it can be applied.
          </p>
          {create}
        </div>
      )}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.policies.map((policy) => (
            <li key={policy.id}>
              <div className="row">
                <span className="row-main">
                  <span className="row-title">
                    <strong>{policy.name}</strong>
                    <span className={`tag ${policy.enforcement === 'mandatory' ? 'bad' : ''}`}>
                      {policy.enforcement}
                    </span>
                  </span>
                  <span className="row-sub">
                    {typeof policy.workspaces === 'string'
                      ? `${policy.workspaces} workspaces`
                      : `${policy.workspaces.length} chosen workspaces`}
                    , version {policy.version}
                  </span>
                </span>
                <Button aria-label={`Open ${policy.name}`} onClick={() => setEdited(policy)}>
                  Open
                </Button>
              </div>
            </li>
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
      {may('manage_users_sso') && <UnseenPlans />}
    </>
  )
}
