import type { Static } from 'typebox'
import { presentPublicOutputs } from '../../domain/workspaces/present-outputs.ts'
import type { StateOutput } from '../../domain/workspaces/split-state.ts'
import type { SecretSearch } from '../../domain/secrets/secret-search.ts'
import type { StateVersion } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'
import { readStateRows } from '../workspaces/read-state.ts'
import type { RunDetail } from './run-detail-schema.ts'

type Answer = Pick<Static<typeof RunDetail>, 'outputs' | 'outputsTruncated'>

/** The outputs of the state that a run wrote, to every reader as to one who may not read sensitive ones. */
export async function runOutputs(
  deps: Deps,
  organizationId: number,
  { version, search }: { version: StateVersion; search: SecretSearch },
): Promise<Answer> {
  const { rows, nextSeq, omitted } = await readStateRows<StateOutput>(
    deps,
    { organizationId, version },
    { kind: 'output', after: 0, limit: maxOutputs },
  )
  const shown = presentPublicOutputs(rows, search)
  return {
    outputs: shown.map(({ value, ...output }, at) => ({
      ...output,
      ...(!rows[at]?.sensitive && { value }),
    })),
    outputsTruncated: nextSeq !== null || omitted > 0,
  }
}

const maxOutputs = 200
