import type { SecretSearch } from '../secrets/secret-search.ts'
import type { StateOutput } from './split-state.ts'

export type PresentedOutput = Omit<StateOutput, 'public'>

/** All outputs with their values, for callers who may read the state. */
export const presentOutputs = (outputs: readonly StateOutput[]): PresentedOutput[] =>
  outputs.map(({ public: _public, ...output }) => output)

/**
 * The outputs for callers who may not read sensitive ones: a sensitive output has no value, and
 * another one is masked where it contains a sensitive value of the workspace or of the state.
 */
export function presentPublicOutputs(
  outputs: readonly StateOutput[],
  search: SecretSearch,
): PresentedOutput[] {
  return outputs.map(({ public: known, ...output }) => {
    if (output.sensitive) return { ...output, value: null }
    const { type, value } = known ?? output
    const shown = { type: search.coverAll(type), value: search.coverAll(value) }
    const covered = known !== undefined || shown.type !== type || shown.value !== value
    return { ...output, ...shown, sensitive: covered }
  })
}
