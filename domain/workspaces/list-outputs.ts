import { createSecretSearch } from '../secrets/secret-search.ts'
import type { StateDocument } from './state-document.ts'
import { stateSecrets } from './state-secrets.ts'

export type StateOutput = { name: string; type: unknown; value: unknown; sensitive: boolean }

/** The outputs of a state by name, with all values: for those who may read the state itself. */
export function listOutputs(state: StateDocument): StateOutput[] {
  return Object.keys(state.outputs)
    .toSorted()
    .map((name) => {
      const { type = null, value = null, sensitive } = fieldsOf(state.outputs[name])
      // Anything but a plain "no" hides it: a mark that is not understood is not an absence of one.
      return { name, type, value, sensitive: sensitive !== undefined && sensitive !== false }
    })
}

/**
 * The same for everybody else (decisions §4): a sensitive output has no value, and what another one
 * took from a sensitive value of the workspace or of the state is covered.
 */
export function listPublicOutputs(state: StateDocument, secrets: readonly string[]): StateOutput[] {
  const search = createSecretSearch([...secrets, ...stateSecrets(state)])
  return listOutputs(state).map((output) => {
    const { name, sensitive } = output
    if (sensitive) return { name, type: output.type, value: null, sensitive }
    // The type of an object names its keys.
    const type = search.coverAll(output.type)
    const value = search.coverAll(output.value)
    const covered = JSON.stringify([type, value]) !== JSON.stringify([output.type, output.value])
    return { name, type, value, sensitive: covered }
  })
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
