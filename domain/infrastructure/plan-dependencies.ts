import { configurationGraph, withoutKeys, type ConfigurationGraph } from './configuration-graph.ts'
import { cutText } from './cut-text.ts'
import type { Plan, ResourceChange } from './parse-plan.ts'

/** Blocks of the configuration, by their addresses without keys of instances. */
export type Dependencies = { dependsOn?: string[]; omittedDependencies?: number }

/**
 * For each change, which of the other changes it needs. A resource that stays as it is stands in for what it
 * needs itself, and what is needed through another change is left out, so that the edges are those of a graph
 * that a person can read.
 */
export function dependenciesOf(
  plan: Plan,
  changes: readonly ResourceChange[],
): (change: ResourceChange) => Dependencies {
  const graph = configurationGraph(plan)
  const changing = new Set(changes.map(blockOf))
  const nearest = new Map<string, Set<string>>()
  const budget = { steps: maxSteps }
  for (const block of changing) nearest.set(block, nearestOf(block, { graph, changing, budget }))
  const reduce = reducer(nearest)
  const shown = new Map<string, Dependencies>()
  for (const [block, needs] of nearest) shown.set(block, bounded(reduce(needs)))
  let bytes = maxPlanBytes
  return (change) => {
    const found = shown.get(blockOf(change)) ?? {}
    const size = found.dependsOn ? Buffer.byteLength(JSON.stringify(found)) : 0
    if (size > bytes) return {}
    bytes -= size
    return found
  }
}

const maxSteps = 1_000_000
const maxReductions = 5_000_000
/** Of one block, before those are left out that are needed through another one. */
const maxNearest = 200
const maxDependencies = 50
const maxRowBytes = 4_096
/** Of all rows of a plan together. */
const maxPlanBytes = 8 * 1_048_576

const blockOf = ({ address }: ResourceChange): string => withoutKeys(address)

type World = {
  graph: ConfigurationGraph
  changing: ReadonlySet<string>
  budget: { steps: number }
}

function nearestOf(block: string, { graph, changing, budget }: World): Set<string> {
  const found = new Set<string>()
  const seen = new Set([block])
  const open = [...(graph.get(block) ?? [])]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (budget.steps <= 0 || found.size >= maxNearest) break
    budget.steps -= 1
    if (seen.has(one)) continue
    seen.add(one)
    if (changing.has(one)) found.add(one)
    else open.push(...(graph.get(one) ?? []))
  }
  return found
}

/** Without those that another one of them needs. Of two that need each other, one stays. */
function reducer(all: ReadonlyMap<string, ReadonlySet<string>>) {
  const memo = new Map<string, ReadonlySet<string>>()
  let steps = maxReductions
  const reach = (from: string): ReadonlySet<string> => {
    const before = memo.get(from)
    if (before) return before
    const reached = new Set<string>()
    const open = [...(all.get(from) ?? [])]
    for (let one = open.pop(); one !== undefined && steps > 0; one = open.pop()) {
      steps -= 1
      if (reached.has(one)) continue
      reached.add(one)
      open.push(...(all.get(one) ?? []))
    }
    memo.set(from, reached)
    return reached
  }
  return (needs: ReadonlySet<string>): string[] => {
    const kept = new Set(needs)
    for (const one of needs)
      if (kept.has(one) && steps > 0)
        for (const far of reach(one)) {
          steps -= 1
          if (far !== one) kept.delete(far)
        }
    return [...kept].toSorted()
  }
}

function bounded(needs: readonly string[]): Dependencies {
  if (needs.length === 0) return {}
  const dependsOn: string[] = []
  let bytes = 0
  for (const one of needs) {
    const text = cutText(one)
    bytes += Buffer.byteLength(JSON.stringify(text)) + 1
    if (dependsOn.length >= maxDependencies || bytes > maxRowBytes) break
    dependsOn.push(text)
  }
  const omittedDependencies = needs.length - dependsOn.length
  return { dependsOn, ...(omittedDependencies > 0 && { omittedDependencies }) }
}
