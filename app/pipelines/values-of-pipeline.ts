import type { PipelineVariablePhase } from '../../domain/pipelines/variables-of-pipeline.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  pipelineVariables,
  placeOfPipelineValue,
} from '../../store/pipelines/pipeline-variables.ts'

/** One variable with its plain value. It is for programs alone: no answer, log or audit entry has it. */
export type PipelineValue = { key: string; value: string; sensitive: boolean }

/**
 * The variables that the steps of a build, or the hooks of a deployment, are given: opened. `deploy`
 * goes to agents, which mask what is sensitive.
 */
export async function valuesOfPipeline(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { pipelineId, phase }: { pipelineId: number; phase: PipelineVariablePhase },
): Promise<PipelineValue[]> {
  const place = placeOfPipelineValue(tenant.organizationId)
  const rows = await pipelineVariables(tenant, pipelineId).list(phase)
  return rows.map(({ key, sensitive, value }) => ({
    key,
    sensitive,
    value: keyring.open(place, value).toString(),
  }))
}
