import { notePipelineChange } from '../../app/pipelines/note-pipeline-change.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { pipelineVariables } from '../../store/pipelines/pipeline-variables.ts'
import type { Deps } from '../deps.ts'
import { holdPipeline } from './hold-pipeline.ts'

/** Deletes a variable of a pipeline. */
export async function deletePipelineVariable(
  deps: Deps,
  caller: Caller,
  { id, variableId }: { id: number; variableId: number },
): Promise<void> {
  await holdPipeline(deps, { caller, id }, async (tenant, { name }) => {
    const variables = pipelineVariables(tenant, id)
    const { key, phase } = await variables.get(variableId)
    await variables.delete(variableId)
    await auditLog(tenant, actorOf(caller)).record('pipeline.variable_deleted', {
      target: { kind: 'pipeline', id, label: name },
      detail: { variableId, key, phase },
    })
    await notePipelineChange(tenant, caller, {
      pipelineId: id,
      what: `variable ${key}`,
      parts: [phase],
      effect: 'stale',
    })
  })
}
