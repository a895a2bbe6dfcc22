import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiError, call, type Body } from '../api/call.ts'
import type { Policy } from '../api/types.ts'
import { policyQuery } from './queries.ts'

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

/**
 * What is typed into the editor of a policy, and its save. A save sends what was changed here, and a rule only
 * over the version that it was written on (lost update). `stored`: as the policy is now. A field that was not
 * changed here follows it; a rule that both changed stays until it was merged.
 */
export function usePolicyDraft(stored: Policy | undefined) {
  const queryClient = useQueryClient()
  const [base, setBase] = useState(stored)
  const was = valuesOf(base)
  const [values, setValues] = useState(was)
  const { left, leave } = useLeave()
  const isNewer = stored !== undefined && base !== undefined && stored.version > base.version
  const theirs = valuesOf(stored)
  const overtaken = isNewer && rulesDiffer(was.rego, values.rego, theirs.rego)
  /** Goes on from what is stored now, with this rule. */
  const goOnFrom = (rego: string) => {
    setBase(stored)
    setValues({ ...followed(was, values, theirs), rego })
  }
  if (isNewer && !overtaken) goOnFrom(followed(was, values, theirs).rego)
  const { name, rego, enforcement, scope } = values
  const save = useMutation({
    mutationFn: async (): Promise<unknown> => {
      const all = { name: name.trim(), rego, enforcement, ...workspacesOf(scope) }
      if (!base) return call('createPolicy', { body: { workspaces: 'all', ...all } })
      const body = changeOf(all, base)
      if (Object.keys(body).length === 0) return undefined
      return call('updatePolicy', {
        params: { id: base.id },
        body,
        ...(body.rego !== undefined && { followsVersion: base.version }),
      })
    },
    onSuccess: leave,
    onError: async (error) => {
      if (base && error instanceof ApiError && error.code === 'policy_overtaken')
        await queryClient.invalidateQueries({ queryKey: policyQuery(base.id).queryKey })
    },
  })
  const judgesOtherwise =
    !base || rego !== was.rego || enforcement !== was.enforcement || scope !== was.scope
  return {
    values,
    set: (change: Partial<PolicyValues>) => setValues({ ...values, ...change }),
    scope: scope === 'chosen' ? (base?.workspaces ?? 'all') : scope,
    /** A new name changes no judgement. */
    judgesOtherwise,
    changed: JSON.stringify(values) !== JSON.stringify(was),
    /** The rules of both, where another person saved one since this one was begun. */
    overtaken: overtaken ? { base: was.rego, theirs: theirs.rego } : undefined,
    /** Goes on with this rule, over the one that is stored now. */
    merge: (rego: string) => {
      save.reset()
      goOnFrom(rego)
    },
    left,
    leave,
    save,
  }
}

/** Leaves to the list. The guard of unsaved changes must be gone before. */
function useLeave() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [left, setLeft] = useState(false)
  useEffect(() => {
    if (left) void navigate({ to: '/organization/policies' })
  }, [left, navigate])
  const leave = async () => {
    await queryClient.invalidateQueries({ queryKey: ['policies', 'list'] })
    setLeft(true)
  }
  return { left, leave }
}

/** What is typed, and the stored value wherever nothing was changed here. */
function followed(was: PolicyValues, values: PolicyValues, theirs: PolicyValues): PolicyValues {
  const { hadChosen } = theirs
  return {
    name: values.name === was.name ? theirs.name : values.name,
    rego: values.rego === was.rego ? theirs.rego : values.rego,
    enforcement: values.enforcement === was.enforcement ? theirs.enforcement : values.enforcement,
    // A list of workspaces is only chosen where the policy has one.
    scope:
      values.scope === was.scope || (values.scope === 'chosen' && !hadChosen)
        ? theirs.scope
        : values.scope,
    hadChosen,
  }
}

/** Whether both changed the rule, and not to the same. */
const rulesDiffer = (was: string, mine: string, theirs: string): boolean =>
  mine !== was && theirs !== was && mine !== theirs

type Fields = Pick<Body<'createPolicy'>, 'name' | 'rego' | 'enforcement'> & {
  workspaces?: 'all' | 'production'
}

/** What differs from the policy that was read, and no more. */
function changeOf(all: Fields, base: Policy): Body<'updatePolicy'> {
  const { name, rego, enforcement, workspaces } = all
  return {
    ...(name !== base.name.trim() && { name }),
    ...(rego !== base.rego && { rego }),
    ...(enforcement !== base.enforcement && { enforcement }),
    ...(workspaces && workspaces !== base.workspaces && { workspaces }),
  }
}

/** A chosen list stays as it is stored. */
const workspacesOf = (scope: PolicyValues['scope']) => scope !== 'chosen' && { workspaces: scope }
