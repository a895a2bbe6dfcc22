import { diffAttributes, type PresentedAttribute } from './diff-attributes.ts'
import { knownSecrets, type SecretOptions } from './known-secrets.ts'
import { parsePlan, type ResourceChange } from './parse-plan.ts'

/** The plan for people: what changes, by resource, without sensitive values, and of bounded size. */
export function presentPlan(planJson: unknown, options: SecretOptions = {}): PresentedPlan {
  const plan = parsePlan(planJson)
  const secrets = knownSecrets(plan, options)
  const changing = plan.resourceChanges.filter(isShown)
  let budget = maxAttributes
  // Room goes first to what is taken away: whoever approves a plan that is longer than what is shown
  // must not miss that behind a thousand creations. What is shown stands in the plan's own order.
  const resources = changing
    .map((resource, at) => ({ resource, at, weight: weightOf(resource) }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, maxResources)
    .map(({ resource, at }) => {
      const all = diffAttributes(resource.change, secrets)
      const attributes = all.slice(0, Math.min(maxAttributesPerResource, budget))
      budget -= attributes.length
      return { at, shown: presentResource(resource, attributes, all.length - attributes.length) }
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ shown }) => shown)
  const outputs = plan.outputChanges
    .filter(({ change }) => change.kind !== 'no-op')
    .slice(0, maxResources)
    .map(({ name, change }) => ({
      name,
      actions: change.actions,
      attributes: diffAttributes(change, secrets).slice(0, maxAttributesPerResource),
    }))
  return { resources, omittedResources: changing.length - resources.length, outputs }
}

export type PresentedPlan = {
  resources: PresentedResource[]
  omittedResources: number
  /** An output that is no object has one attribute with an empty path. */
  outputs: { name: string; actions: string[]; attributes: PresentedAttribute[] }[]
}

export type PresentedResource = {
  address: string
  previousAddress?: string
  module?: string
  type: string
  name: string
  index?: string | number
  provider: string
  actions: string[]
  /** OpenTofu's word, as `replace_because_cannot_update` or `delete_because_count_index`. */
  replaceReason?: string
  attributes: PresentedAttribute[]
  omittedAttributes: number
}

const maxResources = 1_000
const maxAttributesPerResource = 200
const maxAttributes = 10_000

function weightOf({ change: { actions } }: ResourceChange): number {
  if (actions.includes('delete') || actions.includes('forget')) return 2
  return actions.includes('update') ? 1 : 0
}

const isShown = ({ change, mode, previousAddress }: ResourceChange) =>
  mode !== 'ephemeral' &&
  (change.kind !== 'no-op' || change.importing || previousAddress !== undefined)

function presentResource(
  resource: ResourceChange,
  attributes: PresentedAttribute[],
  omittedAttributes: number,
): PresentedResource {
  const { previousAddress, moduleAddress, index, actionReason } = resource
  return {
    address: resource.address,
    ...(previousAddress === undefined ? {} : { previousAddress }),
    ...(moduleAddress === undefined ? {} : { module: moduleAddress }),
    type: resource.type,
    name: resource.name,
    ...(index === undefined ? {} : { index }),
    provider: resource.providerName,
    actions: resource.change.actions,
    ...(actionReason === undefined ? {} : { replaceReason: actionReason }),
    attributes,
    omittedAttributes,
  }
}
