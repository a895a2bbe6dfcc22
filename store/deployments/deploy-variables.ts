import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The variables of a pipeline that hooks are given, each sealed. */
export async function deployVariables(
  tenant: Tenant,
  pipelineId: number,
): Promise<Array<{ key: string; value: Buffer; sensitive: boolean }>> {
  const { db, organizationId } = unwrap(tenant)
  return db('pipeline_variables')
    .where({ organizationId, pipelineId, phase: 'deploy' })
    .orderBy('key')
    .select('key', 'value', 'sensitive')
}
