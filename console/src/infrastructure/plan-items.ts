import { actions, type Plan } from './plan.ts'
import type { PlanEntry } from './plan-entries.ts'
import { isFiltered, moduleOf, modulesOf, type PlanSearch } from './plan-search.ts'
import { actionLooks } from './plan-words.ts'

export type PlanItem =
  | { kind: 'head'; key: string; title: string; sign?: string; tone?: string; count: number }
  | { kind: 'entry'; key: string; entry: PlanEntry }

type Shown = { entries: readonly PlanEntry[]; overview: Plan['overview']; search: PlanSearch }

/**
 * The list of a plan: heads and changes, in groups by action or by module. Without a filter a group has the
 * count of the whole plan, of which some pages may not have been read.
 */
export function itemsOf({ entries, overview, search }: Shown): PlanItem[] {
  const whole = !isFiltered(search)
  const resources = entries.filter(({ part }) => part === 'resource')
  const outputs = entries.filter(({ part }) => part === 'output')
  const drift = entries.filter(({ part }) => part === 'drift')
  return [
    ...(search.by === 'module' ? byModule(resources) : byAction()),
    ...group({ title: 'Outputs', count: whole ? overview.outputs : outputs.length }, outputs),
    ...group(
      { title: 'Changed outside of OpenTofu', count: whole ? overview.drift : drift.length },
      drift,
    ),
  ]

  function byAction(): PlanItem[] {
    const members = Map.groupBy(resources, ({ action }) => action)
    return actions.flatMap((action) => {
      const own = members.get(action) ?? []
      const count = whole ? overview.actions[action] : own.length
      return group({ ...actionLooks[action], count }, own)
    })
  }
}

function byModule(resources: readonly PlanEntry[]): PlanItem[] {
  const members = Map.groupBy(resources, moduleOf)
  return modulesOf(resources).flatMap((module) => {
    const own = members.get(module) ?? []
    return group({ title: moduleTitle(module), count: own.length }, own)
  })
}

export const moduleTitle = (module: string): string =>
  module === 'root' ? 'Outside of modules' : module

type Head = { title: string; count: number; sign?: string; tone?: string }

function group({ title, count, sign, tone }: Head, members: readonly PlanEntry[]): PlanItem[] {
  if (members.length === 0) return []
  const look = sign !== undefined && tone !== undefined && { sign, tone }
  return [
    { kind: 'head', key: `head ${title}`, title, count, ...look },
    ...members.map((entry): PlanItem => ({ kind: 'entry', key: entry.key, entry })),
  ]
}
