import { isUtf8 } from 'node:buffer'
import { isRecord } from '../../../domain/infrastructure/record.ts'
import { endOfString } from '../../../domain/json/json-shape.ts'
import { PlanForged } from './plan-forged.ts'

/** An object of a managed resource: its current one, or a deposed one. */
export type StateObject = {
  attributes: Record<string, unknown>
  /** With the key of the provider's instance, if there is one. */
  provider: string
  isTainted: boolean
  /** Of the schema that the attributes follow. */
  schemaVersion: number
}

export type StateInPlan = {
  /** Of the state that the plan was made from. */
  serial: number
  lineage: string
  /** The managed objects, by `keyOfObject`. */
  objects: ReadonlyMap<string, StateObject>
}

export type ObjectPlace = {
  module: string
  type: string
  name: string
  index: string | number | undefined
  deposed: string
}

export const keyOfObject = ({ module, type, name, index, deposed }: ObjectPlace): string =>
  JSON.stringify([module, type, name, index ?? null, deposed])

/** What OpenTofu 1.12 writes into a state (internal/states/statefile/version4.go). */
const keys = {
  state: new Set([
    'version',
    'terraform_version',
    'serial',
    'lineage',
    'outputs',
    'resources',
    'check_results',
  ]),
  resource: new Set(['module', 'mode', 'type', 'name', 'each', 'provider', 'instances']),
  // Without `attributes_flat`, which no plan has: a plan writes each object anew.
  instance: new Set([
    'index_key',
    'status',
    'deposed',
    'provider',
    'schema_version',
    'attributes',
    'sensitive_attributes',
    'private',
    'dependencies',
    'create_before_destroy',
    'skip_destroy',
    'identity',
    'identity_schema_version',
  ]),
}

/**
 * The entry `tfstate` of a plan file. Stricter than OpenTofu, so that no two readers see two states: Go's encoding/json
 * takes `Type` for `type`, and merges a field that stands twice.
 */
export function readTfstate(bytes: Buffer): StateInPlan {
  const state = parse(bytes)
  if (!hasOnly(state, keys.state) || state['version'] !== 4) throw odd()
  const { serial } = state
  if (typeof serial !== 'number' || !Number.isSafeInteger(serial)) throw odd()
  const objects = new Map<string, StateObject>()
  for (const resource of listOf(state['resources'])) {
    if (!hasOnly(resource, keys.resource)) throw odd()
    const { mode } = resource
    const instances = listOf(resource['instances'])
    if (mode === 'data') continue
    if (mode !== 'managed') throw odd()
    for (const instance of instances) {
      const key = keyOfObject(placeOf(resource, instance))
      if (objects.has(key)) throw new PlanForged('an object stands twice in its state')
      objects.set(key, readObject(resource, instance))
    }
  }
  return { serial, lineage: textIn(state, 'lineage'), objects }
}

function placeOf(resource: Record<string, unknown>, instance: unknown): ObjectPlace {
  if (!hasOnly(instance, keys.instance)) throw odd()
  const index = instance['index_key']
  if (index !== undefined && typeof index !== 'string' && typeof index !== 'number') throw odd()
  return {
    module: textIn(resource, 'module'),
    type: textIn(resource, 'type'),
    name: textIn(resource, 'name'),
    index,
    deposed: textIn(instance, 'deposed'),
  }
}

function readObject(resource: Record<string, unknown>, instance: unknown): StateObject {
  if (!isRecord(instance)) throw odd()
  const { attributes, schema_version: schemaVersion } = instance
  const [ofResource, ofInstance] = [textIn(resource, 'provider'), textIn(instance, 'provider')]
  const status = textIn(instance, 'status')
  // OpenTofu writes the provider in one of the two places.
  if (!isRecord(attributes) || (ofResource === '') === (ofInstance === '')) throw odd()
  if (status !== '' && status !== 'tainted') throw odd()
  if (typeof schemaVersion !== 'number') throw odd()
  const provider = ofResource || ofInstance
  return { attributes, provider, isTainted: status === 'tainted', schemaVersion }
}

/** Empty where there is none. */
function textIn(record: Record<string, unknown>, key: string): string {
  const text = record[key] ?? ''
  if (typeof text !== 'string') throw odd()
  return text
}

function listOf(list: unknown): unknown[] {
  if (!Array.isArray(list)) throw odd()
  return list
}

const hasOnly = (value: unknown, known: ReadonlySet<string>): value is Record<string, unknown> =>
  isRecord(value) && Object.keys(value).every((key) => known.has(key))

function parse(bytes: Buffer): unknown {
  const text = isUtf8(bytes) ? bytes.toString() : ''
  try {
    const value: unknown = JSON.parse(text)
    if (!hasKeyTwice(text)) return value
  } catch {
    throw odd()
  }
  throw odd()
}

/** Whether an object of this JSON has a key twice. */
function hasKeyTwice(text: string): boolean {
  const levels: Array<Set<string> | undefined> = []
  let expectsKey = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '"') {
      const end = endOfString(text, at)
      const level = expectsKey ? levels.at(-1) : undefined
      if (level) {
        const key: unknown = JSON.parse(text.slice(at, end + 1))
        if (level.has(String(key))) return true
        level.add(String(key))
      }
      expectsKey = false
      at = end
    } else if (sign === '{' || sign === '[') {
      levels.push(sign === '{' ? new Set() : undefined)
      expectsKey = sign === '{'
    } else if (sign === '}' || sign === ']') levels.pop()
    else if (sign === ',') expectsKey = true
  }
  return false
}

const odd = () => new PlanForged('its state is not as OpenTofu writes it')
