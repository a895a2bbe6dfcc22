import type { CostRead } from '../../../store/finops/cost/cost-rows.ts'
import { untaggedCost } from '../../../store/finops/cost/untagged-cost.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { namesOfWorkspaces } from '../../../store/workspaces/names-of-workspaces.ts'
import { presentOwners } from './present-cost.ts'
import type { UntaggedBody } from './unmanaged-schemas.ts'

const others = '(other)'

/** What costs without a tag, as money. */
export async function readUntagged(tenant: Tenant, read: CostRead): Promise<UntaggedBody> {
  const { tagKey, keys, services, owners, rest } = await untaggedCost(tenant, read)
  const ids = owners.flatMap(({ workspaceId }) => workspaceId ?? [])
  const found = await namesOfWorkspaces(tenant, ids)
  const names = new Map([...found.values()].map(({ id, name }) => [id, name]))
  const ownerRest =
    rest.workspaces > 0 ? { workspaces: rest.workspaces, amount: rest.workspaceAmount } : undefined
  return {
    tagKey,
    byKey: keys.map(({ key, tagged, untagged }) => ({
      key,
      tagged: Number(tagged),
      untagged: Number(untagged),
    })),
    byService: [
      ...services.map((one) => ({ ...one, amount: Number(one.amount) })),
      ...(rest.services > 0
        ? [{ provider: others, service: others, amount: Number(rest.serviceAmount) }]
        : []),
    ],
    byOwner: presentOwners({ owners, ownerRest }, names),
  }
}
