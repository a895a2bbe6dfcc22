import type { Policy } from '../../store/policies/policies.ts'
import type { PolicyBody } from './schemas.ts'

/** A policy as its readers see it: every member may read the rules that judge their plans. */
export function presentPolicy(policy: Policy): PolicyBody {
  const { id, name, rego, enforcement, workspaces, version } = policy
  return {
    id,
    name,
    rego,
    enforcement,
    workspaces,
    version,
    createdAt: policy.createdAt.toISOString(),
    updatedAt: policy.updatedAt.toISOString(),
  }
}
