import { notePipelineChange } from '../../app/pipelines/note-pipeline-change.ts'
import { changedParts } from '../../domain/pipelines/parts-of-change.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { refuseTotals, refuseValue } from '../../domain/workspaces/variable-bounds.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  measurePipelineVariables,
  pipelineVariables,
  placeOfPipelineValue,
  type PipelineVariable,
} from '../../store/pipelines/pipeline-variables.ts'
import type { Deps } from '../deps.ts'
import { holdPipeline } from './hold-pipeline.ts'
import { presentVariable } from './present-variable.ts'
import type { PipelineVariableBody, PipelineVariableChangeBody } from './schemas.ts'

/**
 * Changes a variable of a pipeline. Any value counts as a change, also the stored one: otherwise the
 * audit log would tell an attacker whether a guess at a sensitive value was right.
 */
export async function updatePipelineVariable(
  deps: Deps,
  caller: Caller,
  target: { id: number; variableId: number; change: PipelineVariableChangeBody },
): Promise<PipelineVariableBody> {
  const { organizationId } = caller
  const { id, variableId, change } = target
  return holdPipeline(deps, { caller, id }, async (tenant, { name }) => {
    const variables = pipelineVariables(tenant, id)
    const before = await variables.get(variableId)
    const { value, sensitive = before.sensitive, phase = before.phase } = change
    assertGiven(before, change)
    if (value === undefined && sensitive === before.sensitive && phase === before.phase)
      return presentVariable(deps.keyring, organizationId, before)

    const { key } = before
    const place = placeOfPipelineValue(organizationId)
    const plain = value ?? deps.keyring.open(place, before.value).toString()
    const all = await measurePipelineVariables(tenant, id)
    const bytes = Buffer.byteLength(plain)
    const refusal =
      refuseValue({ key, kind: 'env', sensitive, value: plain }) ??
      refuseTotals(
        all,
        all.map((other) => (other.id === variableId ? { ...other, sensitive, bytes } : other)),
        'pipeline',
      )
    if (refusal) throw refusal

    const row = await variables.update(before, {
      sensitive,
      phase,
      ...(value !== undefined && {
        value: deps.keyring.seal(place, value),
        valueMac: deps.keyring.mac('variable', value),
      }),
    })
    await auditLog(tenant, actorOf(caller)).record('pipeline.variable_updated', {
      target: { kind: 'pipeline', id, label: name },
      detail: { variableId, key, sensitive, phase, valueChanged: value !== undefined },
    })
    await notePipelineChange(tenant, caller, {
      pipelineId: id,
      what: `variable ${key}`,
      parts: changedParts.filter((part) => part === before.phase || part === phase),
      effect: 'stale',
    })
    return presentVariable(deps.keyring, organizationId, row)
  })
}

/** A sensitive value is write-only, so nobody reads it by declaring it to be none, or by giving it to another phase. */
function assertGiven(
  before: PipelineVariable,
  { value, sensitive, phase = before.phase }: PipelineVariableChangeBody,
): void {
  if (before.sensitive && sensitive === false && value === undefined)
    throw invalid('A sensitive value is never shown again: send a new value with it.', [
      { path: 'value', message: 'is required to make the variable non-sensitive' },
    ])
  // A build and a deployment run what different people wrote, on different machines.
  if (before.sensitive && phase !== before.phase && value === undefined)
    throw invalid('A sensitive value goes to no other phase: send a new value with it.', [
      { path: 'value', message: 'is required to change the phase of a sensitive variable' },
    ])
}
