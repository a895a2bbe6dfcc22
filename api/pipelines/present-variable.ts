import type { Keyring } from '../../gateways/keyring/keyring.ts'
import {
  placeOfPipelineValue,
  type PipelineVariable,
} from '../../store/pipelines/pipeline-variables.ts'
import type { PipelineVariableBody } from './schemas.ts'

/** A variable as callers see it. A sensitive value is write-only and is not opened here. */
export function presentVariable(
  keyring: Keyring,
  organizationId: number,
  row: PipelineVariable,
): PipelineVariableBody {
  const { id, key, phase, sensitive, createdAt, updatedAt } = row
  return {
    id,
    key,
    phase,
    value: sensitive
      ? null
      : keyring.open(placeOfPipelineValue(organizationId), row.value).toString(),
    sensitive,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
