import type { StateDocument } from './state-document.ts'

export type StateOutput = { name: string; type: unknown; value: unknown; sensitive: boolean }

/** The outputs of a state by name; without the right to it a sensitive one has no value (decisions §4). */
export function listOutputs(state: StateDocument, showSensitive: boolean): StateOutput[] {
  return Object.keys(state.outputs)
    .toSorted()
    .map((name) => {
      const output = state.outputs[name]
      const { type = null, value = null, sensitive } = fieldsOf(output)
      // Anything but a plain "no" hides it: a mark that is not understood is not an absence of one.
      const hidden = sensitive !== undefined && sensitive !== false
      return { name, type, value: hidden && !showSensitive ? null : value, sensitive: hidden }
    })
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
