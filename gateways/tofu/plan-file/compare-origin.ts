import { isRecord } from '../../../domain/infrastructure/record.ts'
import { parseAddress } from './parse-address.ts'
import { PlanForged } from './plan-forged.ts'
import type { FilePlan, FileResource } from './read-tfplan.ts'
import { keyOfObject, type StateInPlan, type StateObject } from './read-tfstate.ts'
import type { PlanValue } from './read-value.ts'

type Scalar = string | number | boolean

/** What a state that the service kept says of an object. */
type Kept = { scalars: Map<string, Scalar>; schemaVersion: number; isTainted: boolean }

/**
 * Throws PlanForged unless a plan begins from the workspace's state: `origin` is the state that the service kept under
 * the serial that the plan file names, undefined where there is none. Code of the author that replaced the plan file
 * could otherwise leave an object out of its changes and of its state alike, and the apply would forget it without a
 * shown change; or have an object stand for another one of the cloud.
 *
 * An object of the workspace must be what a change or a drift begins from, under the address that it had, and the
 * texts, numbers and booleans of its attributes must be the same. Not compared are what is nested in them and objects
 * of a newer version of the schema, since a newer provider may write both anew. An object that no longer exists is
 * shown as drift. A plan that destroys has no drift, and there is none of deposed objects: those may be left out, and
 * only the `id` is compared. An object of the plan that the workspace does not have must be an import.
 */
export function compareOrigin(
  plan: FilePlan,
  state: StateInPlan,
  origin: Buffer | undefined,
): void {
  const kept = origin ? readKept(origin) : new Map<string, Kept>()
  // A state of an older format, which OpenTofu writes anew at the next apply.
  if (!kept) return
  const drifted = new Map(plan.drift.map((drift) => [keyBefore(drift), drift]))
  const met = new Set<string>()
  for (const resource of plan.resources) {
    const { address, change } = resource
    if (parseAddress(address).mode !== 'managed') continue
    const key = keyBefore(resource)
    const drift = drifted.get(key)
    // What is created has no object, unless the one that it had is gone.
    if (change.beforeBytes === undefined && !drift) continue
    const object = kept.get(key)
    if (met.has(key) || (!object && change.importing === undefined))
      throw new PlanForged(`${address} is not in the workspace's state`)
    if (!object) continue
    met.add(key)
    compareDrift(resource, drift)
    const planned = state.objects.get(keyAfter(resource))
    const idAlone = plan.destroys || resource.deposed !== ''
    const { before } = (drift ?? resource).change
    // Another type has other attributes.
    const isSameObject = isMovedToType(resource) || isAsKept({ before, object, planned, idAlone })
    if (!isSameObject || (planned && planned.isTainted !== object.isTainted))
      throw new PlanForged(`${address} differs from the workspace's state`)
  }
  for (const key of kept.keys()) {
    if (met.has(key) || plan.destroys || isDeposed(key)) continue
    // It no longer exists and is not to be made again.
    if (drifted.get(key)?.change.action === 'delete') continue
    throw new PlanForged("it leaves out an object of the workspace's state")
  }
}

/** What drifted is what a change begins from. */
function compareDrift({ address, change }: FileResource, drift: FileResource | undefined): void {
  if (!drift) return
  const { action, after } = drift.change
  if (action === 'delete' ? change.before !== null : !isEqual(after, change.before))
    throw new PlanForged(`${address} differs from its own drift`)
}

const keyBefore = ({ address, previousAddress, deposed }: FileResource): string =>
  keyOfObject({ ...parseAddress(previousAddress || address), deposed })

const keyAfter = ({ address, deposed }: FileResource): string =>
  keyOfObject({ ...parseAddress(address), deposed })

const isMovedToType = ({ address, previousAddress }: FileResource): boolean =>
  parseAddress(previousAddress || address).type !== parseAddress(address).type

const isDeposed = (key: string): boolean => !key.endsWith(',""]')

type Compared = {
  before: PlanValue
  object: Kept
  /** In the state of the plan; undefined for what is gone. */
  planned: StateObject | undefined
  idAlone: boolean
}

function isAsKept({ before, object, planned, idAlone }: Compared): boolean {
  const { scalars, schemaVersion } = object
  // A newer provider writes what it finds anew. Of a schema that is too new, the next plan refuses to read it.
  if (planned && planned.schemaVersion !== schemaVersion)
    return planned.schemaVersion > schemaVersion
  if (!(before instanceof Map)) return false
  for (const [name, was] of scalars) {
    const value = before.get(name)
    // A newer provider does not know an attribute any more, or fills in what was not there.
    if (value === undefined || (idAlone && name !== 'id')) continue
    if (value !== was && !(typeof was === 'number' && Number(value) === was)) return false
  }
  return true
}

function isEqual(one: PlanValue, other: PlanValue): boolean {
  if (one instanceof Map)
    return (
      other instanceof Map &&
      one.size === other.size &&
      [...one].every(([key, value]) => other.has(key) && isEqual(value, other.get(key) ?? null))
    )
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, at) => isEqual(value, other[at] ?? null))
    )
  return one === other
}

/**
 * The managed objects of a state that the service kept, by `keyOfObject`. As lenient as those who wrote it: it may be of
 * any program, or of an older version. Undefined where it has no list of objects that this reads.
 */
function readKept(bytes: Buffer): Map<string, Kept> | undefined {
  const state: unknown = JSON.parse(bytes.toString())
  if (!isRecord(state) || state['version'] !== 4) return undefined
  const objects = new Map<string, Kept>()
  for (const resource of listOf(state['resources'])) {
    if (!isRecord(resource) || resource['mode'] !== 'managed') continue
    for (const instance of listOf(resource['instances'])) {
      if (!isRecord(instance)) continue
      const { index_key: index, attributes, schema_version: version } = instance
      const schemaVersion = typeof version === 'number' ? version : 0
      const key = keyOfObject({
        module: textOf(resource['module']) ?? '',
        type: textOf(resource['type']) ?? '',
        name: textOf(resource['name']) ?? '',
        index: typeof index === 'number' ? index : textOf(index),
        deposed: textOf(instance['deposed']) ?? '',
      })
      const isTainted = instance['status'] === 'tainted'
      objects.set(key, { scalars: scalarsOf(attributes), schemaVersion, isTainted })
    }
  }
  return objects
}

const scalarsOf = (attributes: unknown): Kept['scalars'] =>
  new Map(
    Object.entries(isRecord(attributes) ? attributes : {}).flatMap(([name, value]) =>
      isScalar(value) ? [[name, value] as const] : [],
    ),
  )

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
