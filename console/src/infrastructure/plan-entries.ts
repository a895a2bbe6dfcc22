import { actionOf, type Action, type Attribute, type Plan, type PlannedResource } from './plan.ts'

/** One change of a plan, as a row of the list. */
export type PlanEntry = {
  /** Its place in the plan: a deposed object has the address of its successor. */
  key: string
  part: 'resource' | 'output' | 'drift'
  name: string
  action: Action
  attributes: readonly Attribute[]
  omittedAttributes: number
  /** Absent of an output. */
  resource?: PlannedResource
}

/** The changes of the pages that were read, in the order of the plan. */
export const entriesOf = (pages: readonly Plan[]): PlanEntry[] =>
  pages.flatMap((page, at) => [
    ...page.resources.map((resource, n) => ofResource(resource, 'resource', `r${at}.${n}`)),
    ...page.outputs.map(({ name, actions, attributes, omittedAttributes }, n): PlanEntry => ({
      key: `o${at}.${n}`,
      part: 'output',
      name,
      action: actionOf({ actions }),
      attributes,
      omittedAttributes,
    })),
    ...page.drift.map((resource, n) => ofResource(resource, 'drift', `d${at}.${n}`)),
  ])

const ofResource = (
  resource: PlannedResource,
  part: 'resource' | 'drift',
  key: string,
): PlanEntry => ({
  key,
  part,
  name: resource.address,
  action: actionOf(resource),
  attributes: resource.attributes,
  omittedAttributes: resource.omittedAttributes,
  resource,
})
