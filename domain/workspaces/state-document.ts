import { invalid } from '../errors.ts'

/** The parts of OpenTofu's state (format 4) that are read here; the rest is kept as it came. */
export type StateDocument = {
  lineage: string
  serial: number
  resources: readonly unknown[]
  outputs: Readonly<Record<string, unknown>>
}

const read = new Set(['version', 'lineage', 'serial', 'resources', 'outputs'])

/** Parses a state as OpenTofu writes it, or throws with what it is instead. */
export function parseState(text: string): StateDocument {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused('The state is not JSON')
  }
  if (!isObject(value)) throw refused('The state is not a JSON object')
  if ('encrypted_data' in value)
    throw refused(
      'The state is encrypted by OpenTofu itself, so its resources could not be shown or guarded. Turn the encryption block off: states are encrypted at rest here',
    )
  // Go reads names ignoring case, so such a field would have two meanings.
  const twin = Object.keys(value).find((key) => !read.has(key) && read.has(key.toLowerCase()))
  if (twin !== undefined) throw refused(`The state has a field ${twin.slice(0, 20)}`)

  const { version, lineage, serial, resources = [], outputs = {} } = value
  if (version !== 4) throw refused('The state is not of format version 4')
  if (typeof lineage !== 'string' || !/^[\u0021-\u007e]{1,200}$/.test(lineage))
    throw refused('The state has no lineage')
  if (typeof serial !== 'number' || !Number.isSafeInteger(serial) || serial < 0)
    throw refused('The state has no serial')
  if (!Array.isArray(resources ?? [])) throw refused('The resources of the state are not a list')
  if (!isObject(outputs ?? {})) throw refused('The outputs of the state are not an object')
  return {
    lineage,
    serial,
    resources: Array.isArray(resources) ? resources : [],
    outputs: isObject(outputs) ? outputs : {},
  }
}

const refused = (message: string) => invalid(`${message}.`, undefined, 'invalid_state')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
