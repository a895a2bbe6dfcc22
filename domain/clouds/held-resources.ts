import { hash } from 'node:crypto'
import { isRecord, own } from '../infrastructure/record.ts'
import type { SecretSearch } from '../secrets/secret-search.ts'
import type { CloudProvider } from './cloud-account.ts'
import { hasIdOfParent, isSetting } from './is-setting.ts'
import { readCloudId, readGoogleId, readShortId, type CloudId } from './read-cloud-id.ts'
import { createSizeReader, type SizeAttributes } from './size-attributes.ts'

/** A resource of a cloud that a state holds: it belongs to the state's workspace. */
export type HeldResource = {
  cloudId: string
  address: string
  type: string
  provider: CloudProvider
  attributes: SizeAttributes
}

export type StateObject = { address: string; type: string; instance: unknown }

/**
 * Collects the cloud ids and size attributes of a state's managed objects. What the state marks as
 * sensitive is left out, and so is an object whose id contains a known secret. Linear in the state.
 */
export function collectHeld(search: SecretSearch, maxBytes = maxHeldBytes) {
  const held = new Map<string, Held>()
  let bytes = 0
  let omitted = 0
  const readSizes = createSizeReader()

  const isSecret =
    ({ sensitive }: Values) =>
    (name: string, value: unknown) =>
      sensitive.has(name) || search.coverAll(value) !== value

  const add = ({ cloudId, provider }: CloudId, { address, type }: StateObject, values: Values) => {
    const before = held.get(cloudId)
    if (held.size >= maxHeld || bytes >= maxBytes) {
      if (!before) omitted += 1
      return
    }
    const known = { type, address: search.cover(address) }
    if (before && !isBetter(known, before)) return
    if (search.cover(cloudId) !== cloudId) return
    bytes += cloudId.length + address.length + type.length
    const json = JSON.stringify({ cloudId, provider, ...known }).slice(0, -1)
    held.set(cloudId, {
      ...known,
      json: `${json},"attributes":${readSizes(values.attributes, isSecret(values))}}`,
    })
  }

  return {
    add: (object: StateObject): void => {
      const values = valuesOf(object.instance)
      if (object.type === scriptType) {
        for (const found of outputsOf(values)) add(found.id, object, found.values)
        return
      }
      const id = idOf(object.type, values)
      if (id) add(id, object, values)
    },

    result: (): HeldResources => describe(held, omitted),
  }
}

/**
 * The short key of a cloud id, as PostgreSQL computes it (`md5(cloud_id)`): an id may be too long for an
 * index. It is for look-ups alone; who finds a row by it compares the id as well.
 */
export const cloudKey = (cloudId: string): string => hash('md5', cloudId)

export type HeldResources = {
  /** Of all rows in the order of the state: equal only if the same objects have the same attributes. */
  sha256: string
  /** Those beyond the number and size of the rows that are kept. */
  omitted: number
  /** Each row as JSON, in the order of the keys. Sorted when it is asked for: most states change nothing. */
  rows: () => string[]
}

function describe(held: ReadonlyMap<string, Held>, omitted: number): HeldResources {
  return {
    sha256: hash('sha256', [...held.values()].map(({ json }) => json).join('\n')),
    omitted,
    rows: () =>
      [...held]
        .map(([cloudId, { json }]) => ({ key: cloudKey(cloudId), json }))
        .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
        .map(({ json }) => json),
  }
}

/** As many as rows of resources are kept of a state (domain/workspaces/split-state.ts). */
const maxHeld = 50_000
const maxHeldBytes = 16 * 1_048_576

/**
 * A script may name a resource that the same state has, whose sizes only the resource itself has. Of two other
 * objects with one id, the one of the shorter type is the resource itself: what is added to a resource has a longer
 * one. By address among equals, so that the order in the file does not matter.
 */
function isBetter(one: Known, other: Known): boolean {
  if ((one.type === scriptType) !== (other.type === scriptType)) return other.type === scriptType
  return one.type.length === other.type.length
    ? one.address < other.address
    : one.type.length < other.type.length
}

/** Names in its `output` what a script made. */
const scriptType = 'terraform_data'

type Known = { type: string; address: string }
type Held = Known & { /** The `HeldResource`. */ json: string }

/** The attributes of one object, and the names of those that are marked as sensitive as a whole or in part. */
type Values = { attributes: unknown; sensitive: ReadonlySet<string> }

const none: ReadonlySet<string> = new Set()

function valuesOf(instance: unknown): Values {
  const marks = own(instance, 'sensitive_attributes')
  const attributes = own(instance, 'attributes')
  if (marks === undefined || (Array.isArray(marks) && marks.length === 0))
    return { attributes, sensitive: none }
  return { attributes, sensitive: sensitiveNames(marks, attributes) }
}

/** A mark is a list of steps, of which the first names the attribute. One that is not read marks all of them. */
function sensitiveNames(marks: unknown, attributes: unknown): ReadonlySet<string> {
  const names = (Array.isArray(marks) ? marks : [marks]).map((path) => {
    const first = Array.isArray(path) ? (path as unknown[])[0] : undefined
    const key = own(first, 'value')
    const name = isRecord(key) ? own(key, 'value') : key
    return typeof name === 'string' ? name : undefined
  })
  if (!names.includes(undefined)) return new Set(names.filter((name) => name !== undefined))
  return new Set(isRecord(attributes) ? Object.keys(attributes) : [])
}

const plain = ({ attributes, sensitive }: Values, name: string): unknown =>
  sensitive.has(name) ? undefined : own(attributes, name)

/** Azure resources have `id` alone, AWS ones `arn`, an ARN as `id` or a short `id`, Google's `self_link` or a relative `id`. */
function idOf(type: string, values: Values): CloudId | undefined {
  if (isSetting(type) || hasIdOfParent(type, values.attributes)) return undefined
  if (type === 'google_service_account') return serviceAccountOf(values)
  return (
    readCloudId(plain(values, 'arn')) ??
    readCloudId(plain(values, 'id')) ??
    readCloudId(plain(values, 'self_link')) ??
    readGoogleId(type, { id: plain(values, 'id'), name: plain(values, 'name') }) ??
    readShortId(type, plain(values, 'id'))
  )
}

/** Its full name has the unique id, while `id` has the address. */
function serviceAccountOf(values: Values): CloudId | undefined {
  const [id, uniqueId] = [plain(values, 'id'), plain(values, 'unique_id')]
  if (typeof id !== 'string' || typeof uniqueId !== 'string') return undefined
  const project = /^projects\/([^/]+)\//.exec(id.slice(0, 200))?.[1]
  return readCloudId(`//iam.googleapis.com/projects/${project}/serviceAccounts/${uniqueId}`)
}

/**
 * What a script made and its `terraform_data` names in `output`: a cloud id, an object with one, or a
 * list or map of such. OpenTofu keeps the value beside its type. `output` copies `input`, whose mark
 * counts for both.
 */
function outputsOf(values: Values): Array<{ id: CloudId; values: Values }> {
  if (values.sensitive.has('output') || values.sensitive.has('input')) return []
  const found: Array<{ id: CloudId; values: Values }> = []
  const output = own(values.attributes, 'output')
  const open = [isRecord(output) && 'type' in output ? own(output, 'value') : output]
  // Iterative and bounded, for the value is of any shape.
  for (let at = 0; at < open.length && found.length < maxOfOutput; at += 1) {
    const value = open[at]
    const attributes = isRecord(value) ? value : {}
    const id =
      readCloudId(value) ??
      readCloudId(own(value, 'arn')) ??
      readCloudId(own(value, 'id')) ??
      readCloudId(own(value, 'self_link'))
    if (id) found.push({ id, values: { attributes, sensitive: none } })
    else if (typeof value === 'object' && value !== null)
      open.push(...Object.values(value).slice(0, Math.max(0, maxVisited - open.length)))
  }
  return found
}

const maxOfOutput = 100
const maxVisited = 1_000
