import { invalid } from '../errors.ts'

/** The parts of OpenTofu's state (format 4) that are read here; the rest is kept as it came. */
export type StateDocument = {
  lineage: string
  serial: number
  resources: readonly unknown[]
  outputs: Readonly<Record<string, unknown>>
}

/** The fields that OpenTofu reads (internal/states/statefile/version4.go), of any of its versions. */
const read = {
  state: fieldsNamed(
    'version,terraform_version,serial,lineage,outputs,resources,check_results,encrypted_data',
  ),
  output: fieldsNamed('value,type,sensitive,deprecated'),
  resource: fieldsNamed('module,mode,type,name,each,provider,instances'),
  instance: fieldsNamed(
    'index_key,status,deposed,provider,schema_version,attributes,attributes_flat,sensitive_attributes,private,dependencies,depends_on,create_before_destroy,skip_destroy,identity,identity_schema_version',
  ),
}

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
  refuseTwins(value, read.state)
  const { version, lineage, serial, resources = [], outputs = {} } = value
  if (version !== 4) throw refused('The state is not of format version 4')
  if (typeof lineage !== 'string' || !/^[\u0021-\u007e]{1,200}$/.test(lineage))
    throw refused('The state has no lineage')
  if (typeof serial !== 'number' || !Number.isSafeInteger(serial) || serial < 0)
    throw refused('The state has no serial')
  if (!Array.isArray(resources ?? [])) throw refused('The resources of the state are not a list')
  if (!isObject(outputs ?? {})) throw refused('The outputs of the state are not an object')
  const document = {
    lineage,
    serial,
    resources: Array.isArray(resources) ? resources : [],
    outputs: isObject(outputs) ? outputs : {},
  }
  refuseTwinsWithin(document)
  return document
}

function refuseTwinsWithin({ resources, outputs }: StateDocument): void {
  for (const output of Object.values(outputs)) refuseTwins(output, read.output)
  for (const resource of resources) {
    refuseTwins(resource, read.resource)
    const instances = isObject(resource) ? resource['instances'] : undefined
    if (!Array.isArray(instances)) continue
    for (const instance of instances) refuseTwins(instance, read.instance)
  }
}

type Fields = { names: ReadonlySet<string>; folded: RegExp }

/**
 * Refuses a field that OpenTofu reads as another one: Go's encoding/json folds the case of names, and takes
 * U+017F for `s` and U+212A for `k`. What is shown and guarded here would be another state than the one that
 * OpenTofu reads. Names that are unknown in any case are allowed, since a newer OpenTofu may write them.
 */
function refuseTwins(value: unknown, { names, folded }: Fields): void {
  if (!isObject(value)) return
  const twin = Object.keys(value).find((key) => !names.has(key) && folded.test(key))
  if (twin !== undefined) throw refused(`The state has a field ${twin.slice(0, 30)}`)
}

/** With `i` and `u` a regular expression folds as Go does: one character for one, of all of Unicode. */
function fieldsNamed(names: string): Fields {
  const all = names.split(',')
  return { names: new Set(all), folded: new RegExp(`^(?:${all.join('|')})$`, 'iu') }
}

const refused = (message: string) => invalid(`${message}.`, undefined, 'invalid_state')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
