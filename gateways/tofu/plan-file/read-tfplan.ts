import { PlanForged } from './plan-forged.ts'
import { bytesOf, listOf, numberOf, readMessage, textOf } from './read-protobuf.ts'
import type { FieldTable, Message } from './read-protobuf.ts'
import { readValue, type PlanValue } from './read-value.ts'

/** Fields of OpenTofu 1.12's internal/plans/internal/planproto/planfile.proto. */
const fields = {
  plan: {
    1: ['version', 'number'],
    2: ['variables', 'bytes'],
    3: ['resourceChanges', 'bytes'],
    4: ['outputChanges', 'bytes'],
    5: ['targets', 'text'],
    6: ['excludes', 'text'],
    13: ['backend', 'bytes'],
    14: ['tofuVersion', 'text'],
    15: ['relevantAttributes', 'bytes'],
    16: ['forceReplace', 'text'],
    17: ['mode', 'number'],
    18: ['resourceDrift', 'bytes'],
    19: ['checkResults', 'bytes'],
    20: ['errored', 'number'],
    21: ['timestamp', 'text'],
    22: ['ephemeralVariables', 'text'],
  },
  variable: { 1: ['name', 'text'], 2: ['value', 'bytes'] },
  backend: { 1: ['type', 'text'], 2: ['config', 'bytes'], 3: ['workspace', 'text'] },
  resource: {
    7: ['deposed', 'text'],
    8: ['provider', 'text'],
    9: ['change', 'bytes'],
    10: ['private', 'bytes'],
    11: ['requiredReplace', 'bytes'],
    12: ['actionReason', 'number'],
    13: ['address', 'text'],
    14: ['previousAddress', 'text'],
  },
  output: { 1: ['name', 'text'], 2: ['change', 'bytes'], 3: ['sensitive', 'number'] },
  change: {
    1: ['action', 'number'],
    2: ['values', 'bytes'],
    3: ['beforeSensitive', 'bytes'],
    4: ['afterSensitive', 'bytes'],
    5: ['importing', 'bytes'],
    6: ['generatedConfig', 'text'],
    7: ['beforeIdentity', 'bytes'],
    8: ['afterIdentity', 'bytes'],
  },
  importing: { 1: ['id', 'text'], 2: ['identity', 'bytes'] },
  value: { 1: ['msgpack', 'bytes'] },
  path: { 1: ['steps', 'bytes'] },
  step: { 1: ['name', 'text'], 2: ['key', 'bytes'] },
} as const satisfies Record<string, FieldTable>

/** By the number of the action: its words in JSON, and which of its values is before and after. */
const actions: Readonly<Record<number, readonly [string, number | null, number | null]>> = {
  0: ['no-op', 0, 0],
  1: ['create', null, 0],
  2: ['read', 0, 1],
  3: ['update', 0, 1],
  5: ['delete', 0, null],
  6: ['delete,create', 0, 1],
  7: ['create,delete', 0, 1],
  8: ['forget', 0, null],
  10: ['forget,create', 0, 1],
}

export type FileChange = {
  action: string
  before: PlanValue
  /** `before` as its bytes; undefined where there is none. */
  beforeBytes: Buffer | undefined
  after: PlanValue
  importing: { id: string; identity: PlanValue } | undefined
  generatedConfig: string
  beforeIdentity: PlanValue
  afterIdentity: PlanValue
}

export type FileResource = {
  address: string
  previousAddress: string
  deposed: string
  provider: string
  actionReason: number
  replacePaths: PlanValue[][]
  change: FileChange
}

export type FileOutput = { name: string; sensitive: boolean; change: FileChange }

export type FilePlan = {
  tofuVersion: string
  timestamp: string
  errored: boolean
  refreshOnly: boolean
  destroys: boolean
  /** Whether it was made with `-target`, `-exclude` or `-replace`. */
  isNarrowed: boolean
  resources: FileResource[]
  drift: FileResource[]
  outputs: FileOutput[]
  variables: Array<{ name: string; value: PlanValue }>
  backend: { type: string; workspace: string; config: PlanValue }
}

const formatVersion = 3
const modes = { destroy: 1, refreshOnly: 2 }

/** The entry `tfplan` of a plan file. */
export function readTfplan(bytes: Buffer): FilePlan {
  const plan = readMessage(bytes, fields.plan)
  if (numberOf(plan, 'version') !== formatVersion)
    throw new PlanForged('it is of another format than this engine writes')
  const backend = readMessage(needed(bytesOf(plan, 'backend')), fields.backend)
  return {
    tofuVersion: textOf(plan, 'tofuVersion'),
    timestamp: textOf(plan, 'timestamp'),
    errored: numberOf(plan, 'errored') !== 0,
    refreshOnly: numberOf(plan, 'mode') === modes.refreshOnly,
    destroys: numberOf(plan, 'mode') === modes.destroy,
    isNarrowed: ['targets', 'excludes', 'forceReplace'].some((option) => plan.has(option)),
    resources: listOf(plan, 'resourceChanges').map(readResource),
    drift: listOf(plan, 'resourceDrift').map(readResource),
    outputs: listOf(plan, 'outputChanges').map(readOutput),
    variables: listOf(plan, 'variables').map((entry) => {
      const variable = readMessage(entry, fields.variable)
      return { name: textOf(variable, 'name'), value: valueOf(variable, 'value') }
    }),
    backend: {
      type: textOf(backend, 'type'),
      workspace: textOf(backend, 'workspace'),
      config: valueOf(backend, 'config'),
    },
  }
}

function readResource(bytes: Buffer): FileResource {
  const resource = readMessage(bytes, fields.resource)
  return {
    address: textOf(resource, 'address'),
    previousAddress: textOf(resource, 'previousAddress'),
    deposed: textOf(resource, 'deposed'),
    provider: textOf(resource, 'provider'),
    actionReason: numberOf(resource, 'actionReason'),
    replacePaths: listOf(resource, 'requiredReplace').map(readPath),
    change: readChange(needed(bytesOf(resource, 'change'))),
  }
}

function readOutput(bytes: Buffer): FileOutput {
  const output = readMessage(bytes, fields.output)
  return {
    name: textOf(output, 'name'),
    sensitive: numberOf(output, 'sensitive') !== 0,
    change: readChange(needed(bytesOf(output, 'change'))),
  }
}

function readChange(bytes: Buffer): FileChange {
  const change = readMessage(bytes, fields.change)
  const [action, before, after] = actions[numberOf(change, 'action')] ?? []
  if (action === undefined) throw new PlanForged('it has an unknown action')
  const values = listOf(change, 'values')
  const valueAt = (index: number | null | undefined): PlanValue =>
    typeof index === 'number' ? unwrap(needed(values[index])) : null
  const importing = bytesOf(change, 'importing')
  return {
    action,
    before: valueAt(before),
    beforeBytes: typeof before === 'number' ? packed(needed(values[before])) : undefined,
    after: after === before ? valueAt(before) : valueAt(after),
    importing: importing && readImporting(importing),
    generatedConfig: textOf(change, 'generatedConfig'),
    beforeIdentity: valueOf(change, 'beforeIdentity'),
    afterIdentity: valueOf(change, 'afterIdentity'),
  }
}

function readImporting(bytes: Buffer): { id: string; identity: PlanValue } {
  const importing = readMessage(bytes, fields.importing)
  return { id: textOf(importing, 'id'), identity: valueOf(importing, 'identity') }
}

function readPath(bytes: Buffer): PlanValue[] {
  return listOf(readMessage(bytes, fields.path), 'steps').map((part) => {
    const step = readMessage(part, fields.step)
    if (step.has('key') === step.has('name')) throw new PlanForged('it has a broken path')
    return step.has('key') ? valueOf(step, 'key') : textOf(step, 'name')
  })
}

/** Null where there is none. */
function valueOf(message: Message, name: string): PlanValue {
  const bytes = bytesOf(message, name)
  return bytes === undefined ? null : unwrap(bytes)
}

const unwrap = (bytes: Buffer): PlanValue => readValue(packed(bytes))

const packed = (bytes: Buffer): Buffer =>
  needed(bytesOf(readMessage(bytes, fields.value), 'msgpack'))

function needed(bytes: Buffer | undefined): Buffer {
  if (bytes === undefined) throw new PlanForged('a part of it is missing')
  return bytes
}
