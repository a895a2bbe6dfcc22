import { isDeeperThan } from './is-deeper-than.ts'
import { isRecord, own, type UnknownRecord } from './record.ts'

/**
 * Parses the output of `tofu show -json <plan file>`. Throws PlanFormatError for everything else: a
 * plan that cannot be read must not look like one without changes.
 */
export function parsePlan(document: unknown): Plan {
  if (!isRecord(document)) throw new PlanFormatError('it is not an object')
  if (isDeeperThan(document, maxLevels))
    throw new PlanFormatError(`its values are nested deeper than ${maxLevels} levels`)
  const version = document['format_version']
  if (typeof version !== 'string' || !/^1\.\d+$/.test(version))
    throw new PlanFormatError('its format_version is not 1.x')
  if (document['errored'] !== undefined && document['errored'] !== false)
    throw new PlanFormatError('it is the plan of a planning that failed')
  for (const part of ['planned_values', 'configuration'])
    if (!isRecord(document[part])) throw new PlanFormatError(`${part} is missing`)
  return {
    document,
    resourceChanges: readResourceChanges(document, 'resource_changes'),
    resourceDrift: readResourceChanges(document, 'resource_drift'),
    outputChanges: readOutputChanges(document),
  }
}

/** More than OpenTofu's own types nest, and few enough for recursive functions. */
const maxLevels = 500

/** Its message names a place in the plan, never a value. */
export class PlanFormatError extends Error {
  constructor(fault: string) {
    super(`The plan cannot be read: ${fault}.`)
    this.name = 'PlanFormatError'
  }
}

/** What happens to one object. `forget-create` keeps the old object and creates a new one. */
export type ChangeKind =
  | 'no-op'
  | 'create'
  | 'read'
  | 'update'
  | 'replace'
  | 'delete'
  | 'forget'
  | 'forget-create'
  | 'open'

export type Change = {
  kind: ChangeKind
  actions: string[]
  before: unknown
  after: unknown
  /** Each of these three has the shape of its value, with `true` where the mark holds. */
  afterUnknown: unknown
  beforeSensitive: unknown
  afterSensitive: unknown
  replacePaths: unknown[]
  /** The id of the object that the change imports, or its identity: a record, of a provider that has no ids. */
  importing: string | UnknownRecord | undefined
}

export type ResourceChange = {
  address: string
  previousAddress: string | undefined
  moduleAddress: string | undefined
  mode: 'managed' | 'data' | 'ephemeral'
  type: string
  name: string
  index: string | number | undefined
  providerName: string
  /** Key of an object that a broken replacement left behind. */
  deposed: string | undefined
  actionReason: string | undefined
  change: Change
}

export type Plan = {
  document: UnknownRecord
  resourceChanges: ResourceChange[]
  resourceDrift: ResourceChange[]
  outputChanges: { name: string; change: Change }[]
}

const kinds = new Map<string, ChangeKind>([
  ['no-op', 'no-op'],
  ['create', 'create'],
  ['read', 'read'],
  ['update', 'update'],
  ['delete', 'delete'],
  ['delete,create', 'replace'],
  ['create,delete', 'replace'],
  ['forget', 'forget'],
  ['forget,create', 'forget-create'],
  ['create,forget', 'forget-create'],
  ['open', 'open'],
])

function readResourceChanges(document: UnknownRecord, part: string): ResourceChange[] {
  const list = document[part] ?? []
  if (!Array.isArray(list)) throw new PlanFormatError(`${part} is not a list`)
  return list.map((entry: unknown, at) => readResourceChange(entry, `${part}[${at}]`))
}

function readResourceChange(entry: unknown, place: string): ResourceChange {
  if (!isRecord(entry)) throw new PlanFormatError(`${place} is not an object`)
  const mode = entry['mode']
  if (mode !== 'managed' && mode !== 'data' && mode !== 'ephemeral')
    throw new PlanFormatError(`${place}.mode is unknown`)
  const index = entry['index']
  if (index !== undefined && typeof index !== 'string' && typeof index !== 'number')
    throw new PlanFormatError(`${place}.index is neither text nor number`)
  const change = readChange(entry['change'], `${place}.change`)
  if (mode === 'managed') checkSides(change, `${place}.change`)
  return {
    address: text(entry, 'address', place),
    previousAddress: optionalText(entry, 'previous_address', place),
    moduleAddress: optionalText(entry, 'module_address', place),
    mode,
    type: text(entry, 'type', place),
    name: text(entry, 'name', place),
    index,
    providerName: text(entry, 'provider_name', place),
    deposed: optionalText(entry, 'deposed', place),
    actionReason: optionalText(entry, 'action_reason', place),
    change,
  }
}

function readOutputChanges(document: UnknownRecord): Plan['outputChanges'] {
  const changes = document['output_changes'] ?? {}
  if (!isRecord(changes)) throw new PlanFormatError('output_changes is not an object')
  return Object.entries(changes).map(([name, change]) => ({
    name,
    change: readChange(change, `output_changes.${name}`),
  }))
}

function readChange(value: unknown, place: string): Change {
  const actions = own(value, 'actions')
  if (!Array.isArray(actions) || !actions.every((action) => typeof action === 'string'))
    throw new PlanFormatError(`${place}.actions is not a list of texts`)
  const kind = kinds.get(actions.join(','))
  if (!kind) throw new PlanFormatError(`${place}.actions is none of the known ones`)
  const replacePaths = own(value, 'replace_paths') ?? []
  if (!Array.isArray(replacePaths)) throw new PlanFormatError(`${place}.replace_paths is no list`)
  return {
    kind,
    actions,
    before: own(value, 'before') ?? null,
    after: own(value, 'after') ?? null,
    afterUnknown: own(value, 'after_unknown') ?? false,
    beforeSensitive: own(value, 'before_sensitive') ?? false,
    afterSensitive: own(value, 'after_sensitive') ?? false,
    replacePaths,
    importing: readImporting(own(value, 'importing') ?? undefined, `${place}.importing`),
  }
}

function readImporting(value: unknown, place: string): Change['importing'] {
  if (value === undefined) return undefined
  if (!isRecord(value)) throw new PlanFormatError(`${place} is not an object`)
  const id = optionalText(value, 'id', place) ?? ''
  return id === '' && isRecord(value['identity']) ? value['identity'] : id
}

const withBefore = new Set<ChangeKind>(['no-op', 'update', 'replace', 'delete', 'forget'])
const withAfter = new Set<ChangeKind>(['no-op', 'create', 'update', 'replace', 'forget-create'])

/** Otherwise a creation without its values would be priced and judged as an empty object. */
function checkSides({ kind, before, after }: Change, place: string): void {
  if (withBefore.has(kind) && !isRecord(before))
    throw new PlanFormatError(`${place}.before is missing`)
  if (withAfter.has(kind) && !isRecord(after))
    throw new PlanFormatError(`${place}.after is missing`)
}

function text(entry: UnknownRecord, key: string, place: string): string {
  const value = entry[key]
  if (typeof value !== 'string' || value === '')
    throw new PlanFormatError(`${place}.${key} is missing`)
  // The value ends up in a jsonb, which cannot store NUL.
  if (value.includes('\0')) throw new PlanFormatError(`${place}.${key} has a NUL character`)
  return value
}

function optionalText(entry: UnknownRecord, key: string, place: string): string | undefined {
  const value = entry[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new PlanFormatError(`${place}.${key} is no text`)
  return value
}
