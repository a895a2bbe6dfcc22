import { invalid } from '../../../domain/errors.ts'
import type { CostScope } from '../../../domain/finops/cost-scope.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { organizationSettings } from '../../../store/organizations/settings.ts'

/** `untagged` is what has no tag of the settings' key. Without one its cost would be 0, which reads like a fact. */
export async function assertTagKey(
  tenant: Tenant,
  { scopeKind, scopeValue }: CostScope,
): Promise<void> {
  if (scopeKind !== 'tag' || scopeValue !== 'untagged') return
  const { tagKey } = await organizationSettings(tenant)
  if (tagKey === null)
    throw invalid(
      'Cost without a tag can be read once the settings name the tag. Set the tag first.',
      [{ path: 'scopeValue', message: 'is for organizations whose settings have a tagKey' }],
      'tag_key_missing',
    )
}
