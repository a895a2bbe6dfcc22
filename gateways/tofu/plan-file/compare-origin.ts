import { isRecord } from '../../../domain/infrastructure/record.ts'
import { isProviderOf } from './compare-state.ts'
import type { ProvidedObject } from './compare-providers.ts'
import { matchMoved } from './match-moved.ts'
import { parseAddress } from './parse-address.ts'
import { PlanForged } from './plan-forged.ts'
import type { FilePlan, FileResource } from './read-tfplan.ts'
import type { Move } from './read-moves.ts'
import {
  keyOfObject,
  type ObjectPlace,
  type StateInPlan,
  type StateObject,
} from './read-tfstate.ts'
import type { PlanValue } from './read-value.ts'

type Scalar = string | number | boolean

/** What a state that the service kept says of an object. */
type Kept = {
  place: ObjectPlace
  scalars: Map<string, Scalar>
  schemaVersion: number
  isTainted: boolean
  /** With the key of the provider's instance, if there is one. */
  provider: string
}

/** With the `moved` blocks of its configuration. */
type PlanWithMoves = FilePlan & { moves: () => readonly Move[] }

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
 * only the `id` is compared. Nor does it say where most of what moved was: `matchMoved` finds it. An object of the plan
 * that the workspace does not have must be an import.
 *
 * Returns the objects whose provider `compareProviders` must compare: those of another provider than in the workspace's
 * state.
 */
export function compareOrigin(
  plan: PlanWithMoves,
  state: StateInPlan,
  origin: Buffer | undefined,
): ProvidedObject[] {
  const kept = origin ? readKept(origin) : new Map<string, Kept>()
  // A state of an older format, which OpenTofu writes anew at the next apply.
  if (!kept) return []
  const drifted = new Map(plan.drift.map((drift) => [keyBefore(drift), drift]))
  const met = new Set<string>()
  const unmet: Begun[] = []
  const provided: ProvidedObject[] = []
  for (const resource of plan.resources) {
    const { address, change } = resource
    const { mode, ...parsed } = parseAddress(address)
    if (mode !== 'managed') continue
    const key = keyBefore(resource)
    const drift = drifted.get(key)
    // What is created has no object, unless the one that it had is gone.
    if (change.beforeBytes === undefined && !drift) continue
    const object = kept.get(key)
    const mayHaveMoved = plan.destroys && change.beforeBytes !== undefined
    if (met.has(key) || (!object && change.importing === undefined && !mayHaveMoved))
      throw new PlanForged(`${address} is not in the workspace's state`)
    if (!object && change.importing !== undefined) continue
    compareDrift(resource, drift)
    const place = { ...parsed, deposed: resource.deposed }
    const begun: Begun = {
      resource,
      place,
      before: (drift ?? resource).change.before,
      planned: state.objects.get(keyOfObject(place)),
      idAlone: plan.destroys || resource.deposed !== '',
    }
    if (!object) {
      unmet.push(begun)
      continue
    }
    met.add(key)
    if (!isAsKept(begun, object))
      throw new PlanForged(`${address} differs from the workspace's state`)
    provided.push(...providedAnew(resource, object))
  }
  const left = [...kept].filter(([key]) => !met.has(key))
  if (plan.destroys) provided.push(...compareMoved(unmet, { left, moves: plan.moves }))
  for (const [key] of plan.destroys ? [] : left) {
    // It no longer exists and is not to be made again.
    if (isDeposed(key) || drifted.get(key)?.change.action === 'delete') continue
    throw new PlanForged("it leaves out an object of the workspace's state")
  }
  return provided
}

/** Returns those that moved to another provider. */
function compareMoved(
  unmet: readonly Begun[],
  { left, moves }: { left: ReadonlyArray<[string, Kept]>; moves: () => readonly Move[] },
): ProvidedObject[] {
  if (unmet.length === 0) return []
  const objects = { left: left.map(([, object]) => object), moves: moves() }
  return matchMoved(unmet, objects, isAsKept).flatMap(([{ resource }, object]) => {
    if (!object) throw new PlanForged(`${resource.address} is not in the workspace's state`)
    return providedAnew(resource, object)
  })
}

/** The object, if the plan has another provider for it than the workspace's state. */
function providedAnew({ address, provider }: FileResource, object: Kept): ProvidedObject[] {
  const spellings = [object.provider, inOpenTofu(object.provider)]
  return spellings.some((kept) => isProviderOf(kept, provider)) ? [] : [{ address, provider }]
}

/**
 * As OpenTofu reads the provider of a state that Terraform wrote: by its own registry, unless the configuration names
 * that of Terraform, and the built-in provider by its name since 0.13.
 */
const inOpenTofu = (provider: string): string =>
  provider
    .replace('provider["registry.terraform.io/', 'provider["registry.opentofu.org/')
    .replace(/(?<=^|\.)provider\.terraform(?=\.|$)/, 'provider["terraform.io/builtin/terraform"]')

/** What drifted is what a change begins from. */
function compareDrift({ address, change }: FileResource, drift: FileResource | undefined): void {
  if (!drift) return
  const { action, after } = drift.change
  if (action === 'delete' ? change.before !== null : !isEqual(after, change.before))
    throw new PlanForged(`${address} differs from its own drift`)
}

const keyBefore = ({ address, previousAddress, deposed }: FileResource): string =>
  keyOfObject({ ...parseAddress(previousAddress || address), deposed })

const isDeposed = (key: string): boolean => !key.endsWith(',""]')

/** What an object of the plan begins from. */
type Begun = {
  resource: FileResource
  place: ObjectPlace
  before: PlanValue
  /** In the state of the plan; undefined for what is gone. */
  planned: StateObject | undefined
  idAlone: boolean
}

function isAsKept({ place, before, planned, idAlone }: Begun, object: Kept): boolean {
  if (planned && planned.isTainted !== object.isTainted) return false
  // Another type has other attributes.
  if (place.type !== object.place.type) return true
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
      const place = {
        module: textOf(resource['module']) ?? '',
        type: textOf(resource['type']) ?? '',
        name: textOf(resource['name']) ?? '',
        index: typeof index === 'number' ? index : textOf(index),
        deposed: textOf(instance['deposed']) ?? '',
      }
      objects.set(keyOfObject(place), {
        place,
        scalars: scalarsOf(attributes),
        schemaVersion,
        isTainted: instance['status'] === 'tainted',
        provider: textOf(instance['provider']) ?? textOf(resource['provider']) ?? '',
      })
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
