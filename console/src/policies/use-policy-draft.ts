import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import type { Policy } from '../api/types.ts'

export type PolicyValues = {
  name: string
  rego: string
  enforcement: Policy['enforcement']
  scope: 'all' | 'production' | 'chosen'
  /** The form cannot edit a list of workspaces, and keeps the one that the policy has. */
  hadChosen: boolean
}

const firstRego = `package cloudcontrol

deny contains message if {
  some resource in input.plan.resource_changes
  "delete" in resource.change.actions
  message := sprintf("%s would be destroyed", [resource.address])
}
`

const valuesOf = (policy: Policy | undefined): PolicyValues => ({
  name: policy?.name ?? '',
  rego: policy?.rego ?? firstRego,
  enforcement: policy?.enforcement ?? 'mandatory',
  scope: typeof policy?.workspaces === 'object' ? 'chosen' : (policy?.workspaces ?? 'all'),
  hadChosen: typeof policy?.workspaces === 'object',
})

/** What is typed into the editor of a policy, and its save. */
export function usePolicyDraft(policy: Policy | undefined) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [was] = useState(() => valuesOf(policy))
  const [values, setValues] = useState(was)
  const [left, setLeft] = useState(false)
  // The guard of unsaved changes must be gone before the page is left.
  useEffect(() => {
    if (left) void navigate({ to: '/organization/policies' })
  }, [left, navigate])
  const leave = async () => {
    await queryClient.invalidateQueries({ queryKey: ['policies', 'list'] })
    setLeft(true)
  }
  const { name, rego, enforcement, scope } = values
  const save = useMutation({
    mutationFn: (): Promise<unknown> => {
      const body = { name: name.trim(), rego, enforcement }
      if (!policy)
        return call('createPolicy', { body: { ...body, workspaces: workspacesOf(scope) } })
      return call('updatePolicy', {
        params: { id: policy.id },
        body: { ...body, ...(scope !== 'chosen' && { workspaces: scope }) },
      })
    },
    onSuccess: leave,
  })
  const judgesOtherwise =
    !policy || rego !== was.rego || enforcement !== was.enforcement || scope !== was.scope
  return {
    values,
    set: (change: Partial<PolicyValues>) => setValues({ ...values, ...change }),
    scope: scope === 'chosen' ? (policy?.workspaces ?? 'all') : scope,
    /** A new name changes no judgement. */
    judgesOtherwise,
    changed: JSON.stringify(values) !== JSON.stringify(was),
    left,
    leave,
    save,
  }
}

const workspacesOf = (scope: PolicyValues['scope']) =>
  scope === 'production' ? 'production' : 'all'
