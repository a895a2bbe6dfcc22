import { notePipelineChange } from '../../app/pipelines/note-pipeline-change.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { faultOfPipelineKey } from '../../domain/pipelines/variables-of-pipeline.ts'
import { refuseTotals, refuseValue } from '../../domain/workspaces/variable-bounds.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  measurePipelineVariables,
  pipelineVariables,
  placeOfPipelineValue,
} from '../../store/pipelines/pipeline-variables.ts'
import type { Pipeline } from '../../store/pipelines/pipelines.ts'
import type { Deps } from '../deps.ts'
import { holdPipeline } from './hold-pipeline.ts'
import { presentVariable } from './present-variable.ts'
import type { NewPipelineVariableBody, PipelineVariableBody } from './schemas.ts'

/** Adds a variable to a pipeline of an application. */
export async function createPipelineVariable(
  deps: Deps,
  caller: Caller,
  { id, variable }: { id: number; variable: NewPipelineVariableBody },
): Promise<PipelineVariableBody> {
  const { organizationId } = caller
  const { key, value, phase, sensitive = false } = variable
  const fault = faultOfPipelineKey(key)
  if (fault)
    throw invalid(`key: ${fault.message}.`, [{ path: 'key', message: fault.message }], fault.code)
  const refusal = refuseValue({ key, kind: 'env', sensitive, value })
  if (refusal) throw refusal
  return holdPipeline(deps, { caller, id }, async (tenant, pipeline) => {
    assertApplication(pipeline)
    const variables = pipelineVariables(tenant, id)
    const before = await measurePipelineVariables(tenant, id)
    const added = { id: 0, key, kind: 'env' as const, sensitive, bytes: Buffer.byteLength(value) }
    const limit = refuseTotals(before, [...before, added], 'pipeline')
    if (limit) throw limit
    const row = await variables.create({
      key,
      phase,
      sensitive,
      value: deps.keyring.seal(placeOfPipelineValue(organizationId), value),
      valueMac: deps.keyring.mac('variable', value),
    })
    await auditLog(tenant, actorOf(caller)).record('pipeline.variable_created', {
      target: { kind: 'pipeline', id, label: pipeline.name },
      detail: { variableId: row.id, key, sensitive, phase },
    })
    await notePipelineChange(tenant, caller, {
      pipelineId: id,
      what: `variable ${key}`,
      parts: [phase],
      effect: 'stale',
    })
    return presentVariable(deps.keyring, organizationId, row)
  })
}

/** A run of an infrastructure pipeline is given the variables of its workspace. */
function assertApplication({ kind }: Pipeline): void {
  if (kind !== 'application')
    throw invalid(
      'An infrastructure pipeline has no variables of its own: its runs are given those of its workspace.',
    )
}
