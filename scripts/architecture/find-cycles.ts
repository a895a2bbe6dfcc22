import type { Module } from './read-modules.ts'

/**
 * Groups of files that import each other, directly or indirectly (Tarjan's strongly connected
 * components). Type imports count: a reader of one file of a cycle needs all the others.
 */
export function findCycles(modules: readonly Module[]): string[][] {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const indexes = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []

  const visit = (module: Module): number => {
    const { path } = module
    const index = indexes.size
    let low = index
    indexes.set(path, index)
    stack.push(path)
    for (const { path: target } of module.imports) {
      const next = byPath.get(target)
      if (!next) continue
      if (!indexes.has(target)) low = Math.min(low, visit(next))
      else if (stack.includes(target)) low = Math.min(low, indexes.get(target) ?? low)
    }
    if (low === index) {
      const group = stack.splice(stack.indexOf(path))
      if (group.length > 1) cycles.push(group.toSorted())
    }
    return low
  }
  for (const module of modules) if (!indexes.has(module.path)) visit(module)
  return cycles
}
