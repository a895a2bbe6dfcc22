import { parseAddress } from './parse-address.ts'
import { PlanForged } from './plan-forged.ts'
import type { FilePlan, FileResource } from './read-tfplan.ts'
import { keyOfObject, readTfstate, type StateInPlan, type StateObject } from './read-tfstate.ts'
import { readValue } from './read-value.ts'
import { readZip } from './read-zip.ts'
import { isSame } from './same-value.ts'

/** As much as a state that an apply could not save. */
const maxStateBytes = 128 * 1024 * 1024

/**
 * Throws PlanForged unless the state within a plan file has the objects of managed resources that its changes begin
 * from, and no other. An apply takes its state from there: code of the author that replaced the plan file could
 * otherwise drop an object, alter one that does not change, or have an approved deletion done by another provider.
 *
 * For plans of all resources: a plan with `-target` has no change for the others (`compareOptions`). Returns that
 * state.
 */
export function compareState(planFile: Buffer, { resources }: FilePlan): StateInPlan {
  const entry = readZip(planFile).find(({ name }) => name === 'tfstate')
  if (!entry) throw new PlanForged('it has no state')
  const state = readTfstate(entry.read(maxStateBytes))
  const objects = new Map(state.objects)
  for (const resource of resources) {
    const { mode, ...place } = parseAddress(resource.address)
    if (mode !== 'managed') continue
    const key = keyOfObject({ ...place, deposed: resource.deposed })
    compareObject(resource, objects.get(key))
    objects.delete(key)
  }
  if (objects.size > 0) throw new PlanForged('its state has an object that no change of it names')
  return state
}

function compareObject(
  { address, actionReason, provider, change }: FileResource,
  object: StateObject | undefined,
): void {
  const before = change.beforeBytes ? readValue(change.beforeBytes, { typed: true }) : null
  if ((before === null) !== (object === undefined))
    throw new PlanForged(`${address} is in its state or in what was before, but not in both`)
  if (!object) return
  if (!isSame(before, object.attributes))
    throw new PlanForged(`${address} differs in its state from what was before`)
  if (!isProviderOf(object.provider, provider))
    throw new PlanForged(`${address} has another provider in its state`)
  // A tainted object is replaced or goes.
  if (object.isTainted ? kept.has(change.action) : actionReason === replacedAsTainted)
    throw new PlanForged(`${address} differs in its state in whether it is tainted`)
}

/** Whether the provider of an object of a state is of this configuration of a provider. */
export const isProviderOf = (provider: string, configuration: string): boolean =>
  provider.startsWith(configuration) && isKey.test(provider.slice(configuration.length))

/** What follows the provider's configuration: nothing, or the key of one of its instances. */
const isKey = /^(\["([^"\\]|\\.)*"\]|\[\d+\])?$/s
const kept: ReadonlySet<string> = new Set(['no-op', 'update'])
/** Of planproto's ResourceInstanceActionReason. */
const replacedAsTainted = 1
