import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Gone, isGone } from '../parts/gone.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { policyQuery } from './queries.ts'
import { PolicyEditor } from './policy-editor.tsx'

const route = getRouteApi('/app/organization/policies/$id')

export function NewPolicyPage() {
  return <PolicyEditor policy={undefined} />
}

export function PolicyPage() {
  const { id } = route.useParams()
  const query = useQuery(policyQuery(id))
  if (isGone(query.error))
    return <Gone what="policy" to="/organization/policies" list="All policies" />
  // The editor stays when a refetch fails: what was typed is in it.
  if (query.data) return <PolicyEditor key={id} policy={query.data.policy} />
  return query.error ? <ErrorNote error={query.error} goesOn /> : <Loading what="the policy" />
}
