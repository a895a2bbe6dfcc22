import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { deployVariables } from '../../store/deployments/deploy-variables.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

/**
 * Binds the sealed variables to their deployment: in another one's row they do not open, so that who can write the
 * database cannot give the secrets of one target to the hosts of another.
 */
export const placeOfDeployVariables = (organizationId: number, runId: number) => ({
  organizationId,
  table: 'deployments',
  column: `variables of ${runId}`,
})

/** How those of deployments were sealed that began before docs/decisions/0206. What is sealed now does not open by it. */
const placeBefore = (organizationId: number) => ({
  organizationId,
  table: 'deployments',
  column: 'variables',
})

/** The variables of a deployment's hooks, by their names. Throws if they are of another one. */
export function openVariables(
  keyring: Keyring,
  { organizationId, runId }: { organizationId: number; runId: number },
  sealed: Buffer,
): Record<string, string> {
  keyring.assertKnows(sealed)
  const open = () => {
    try {
      return keyring.open(placeOfDeployVariables(organizationId, runId), sealed)
    } catch {
      return keyring.open(placeBefore(organizationId), sealed)
    }
  }
  // Written by `sealVariables`.
  return JSON.parse(open().toString()) as Record<string, string>
}

/**
 * The variables of a pipeline's deployments as they are now, as JSON { KEY: value }, sealed: a change during a deployment
 * gives no two hosts different ones. Null without any.
 */
export async function sealVariables(
  tenant: Tenant,
  { keyring, pipelineId, runId }: { keyring: Keyring; pipelineId: number; runId: number },
): Promise<Buffer | null> {
  const { organizationId } = tenant
  const rows = await deployVariables(tenant, pipelineId)
  if (rows.length === 0) return null
  const place = { organizationId, table: 'pipeline_variables', column: 'value' }
  const variables = Object.fromEntries(
    rows.map(({ key, value }) => [key, keyring.open(place, value).toString()]),
  )
  return keyring.seal(placeOfDeployVariables(organizationId, runId), JSON.stringify(variables))
}
