import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { deployVariables } from '../../store/deployments/deploy-variables.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

/** Binds the sealed variables of a deployment to their column. */
export const placeOfDeployVariables = (organizationId: number) => ({
  organizationId,
  table: 'deployments',
  column: 'variables',
})

/**
 * The variables of a pipeline's deployments as they are now, as JSON { KEY: value }, sealed: a change during a deployment
 * gives no two hosts different ones. Null without any.
 */
export async function sealVariables(
  tenant: Tenant,
  { keyring, pipelineId }: { keyring: Keyring; pipelineId: number },
): Promise<Buffer | null> {
  const { organizationId } = tenant
  const rows = await deployVariables(tenant, pipelineId)
  if (rows.length === 0) return null
  const place = { organizationId, table: 'pipeline_variables', column: 'value' }
  const variables = Object.fromEntries(
    rows.map(({ key, value }) => [key, keyring.open(place, value).toString()]),
  )
  return keyring.seal(placeOfDeployVariables(organizationId), JSON.stringify(variables))
}
