import { findCycles } from './find-cycles.ts'
import { layerOf, mayImport, storeNoun, type Layer } from './layers.ts'
import type { Module } from './read-modules.ts'

/** Forbidden imports that are allowed by name, with the reason. */
export type Exception = { reason: string; from: string; to: readonly string[] }
export type Limits = {
  exceptions: readonly Exception[]
  /** Allowed import cycles, each identified by one of its files. */
  cycles: readonly { reason: string; file: string }[]
  /** Files that are loaded without an import, such as entry points. */
  entries: readonly RegExp[]
  maxLines: number
  /** By layer: the allowed number of functions with more than `maxLines` lines. */
  longFunctions: Partial<Record<Layer, number>>
}
export type Verdict = {
  /** The number of imports between two layers, by `importing imported`, such as `api store`. */
  counts: ReadonlyMap<string, number>
  longFunctions: ReadonlyMap<Layer, number>
  cycles: readonly string[][]
  violations: readonly string[]
  /** Limits that could be lower. They do not fail the check. */
  notes: readonly string[]
}

export function judgeModules(modules: readonly Module[], limits: Limits): Verdict {
  const imports = judgeImports(modules, limits.exceptions)
  const circles = judgeCycles(modules, limits.cycles)
  const lengths = judgeLengths(modules, limits)
  return {
    counts: imports.counts,
    longFunctions: lengths.counts,
    cycles: circles.cycles,
    violations: [
      ...imports.violations,
      ...circles.violations,
      ...lengths.violations,
      ...findUnused(modules, limits.entries),
    ],
    notes: lengths.notes,
  }
}

function judgeImports(modules: readonly Module[], exceptions: readonly Exception[]) {
  const counts = new Map<string, number>()
  const violations: string[] = []
  const open = new Set(exceptions.flatMap(({ from, to }) => to.map((path) => `${from} → ${path}`)))
  const used = new Set<string>()
  for (const { path, imports } of modules)
    for (const { path: target, line, isType, names } of imports) {
      const [from, to] = [layerOf(path), layerOf(target)]
      if (from !== to) counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1)
      const fault = mayImport(from, to, isType)
        ? (faultOfNouns(path, target, isType) ?? faultOfTenant(path, target, names))
        : `${from} may not import ${to}`
      if (!fault) continue
      const edge = `${path} → ${target}`
      if (open.has(edge)) used.add(edge)
      else violations.push(`${path}:${line} imports ${target}: ${fault}`)
    }
  for (const edge of open)
    if (!used.has(edge)) violations.push(`the exception ${edge} is not needed any more: remove it`)
  return { counts, violations }
}

/** A repository uses no repository of another noun. Types are allowed, because they give no access. */
function faultOfNouns(path: string, target: string, isType: boolean): string | undefined {
  const noun = layerOf(path) === 'store' ? storeNoun(path) : undefined
  if (!noun || isType) return undefined
  if (target.startsWith('store/platform/')) return `store/${noun}/ sees one organization`
  const other = storeNoun(target)
  return other && other !== noun ? `a repository imports no other noun's` : undefined
}

/** Only `store/` and tests may open a tenant's transaction. The files of `makers` may also make a tenant. */
function faultOfTenant(path: string, target: string, names: readonly string[]): string | undefined {
  if (target !== tenantModule || ['store', 'test'].includes(layerOf(path))) return undefined
  const mayMake = makers.has(path)
  const opens = names.find((name) => name === 'unwrap' || (name === 'asTenant' && !mayMake))
  return opens && `${opens} is for store/ alone`
}

const tenantModule = 'store/driver/tenant.ts'

/** Use cases of a platform administrator, whose transaction is over all organizations. */
const makers: ReadonlySet<string> = new Set([
  'api/platform/create-organization.ts',
  'api/platform/remove-factor-of-owner.ts',
  'api/platform/set-organization-status.ts',
])

function judgeCycles(modules: readonly Module[], known: Limits['cycles']) {
  const found = findCycles(modules)
  const cycles = found.filter((cycle) => !known.some(({ file }) => cycle.includes(file)))
  const violations = known
    .filter(({ file }) => !found.some((cycle) => cycle.includes(file)))
    .map(({ file }) => `the exception for the cycle of ${file} is not needed any more: remove it`)
  return { cycles, violations }
}

function judgeLengths(modules: readonly Module[], { maxLines, longFunctions }: Limits) {
  const long = modules
    .filter(({ path }) => layerOf(path) !== 'test' && !path.startsWith('store/migrations/'))
    .flatMap(({ path, functions }) =>
      functions.filter(({ lines }) => lines > maxLines).map((one) => ({ ...one, path })),
    )
  const byLayer = Map.groupBy(long, ({ path }) => layerOf(path))
  const violations: string[] = []
  const notes: string[] = []
  for (const layer of new Set([...byLayer.keys(), ...layersOf(longFunctions)])) {
    const found = byLayer.get(layer) ?? []
    const allowed = longFunctions[layer] ?? 0
    if (found.length < allowed)
      notes.push(`${layer}: ${found.length} long functions, ${allowed} allowed: lower the number`)
    if (found.length <= allowed) continue
    violations.push(
      `${layer}: ${found.length} functions of more than ${maxLines} lines, ${allowed} allowed`,
      ...found.map(({ path, line, lines }) => `  ${path}:${line} takes ${lines} lines`),
    )
  }
  const counts = new Map([...byLayer].map(([layer, found]) => [layer, found.length]))
  return { counts, violations, notes }
}

// The table's type allows only layers as keys.
const layersOf = (table: Limits['longFunctions']) => Object.keys(table) as Layer[]

/** Exported values that no file imports, and files that no file loads. */
function findUnused(modules: readonly Module[], entries: readonly RegExp[]): string[] {
  const named = new Map<string, Set<string>>()
  for (const { path, names } of modules.flatMap(({ imports }) => imports))
    named.set(path, (named.get(path) ?? new Set()).union(new Set(names)))
  return modules
    .filter(({ path }) => !entries.some((entry) => entry.test(path)))
    .flatMap(({ path, values }) => {
      const names = named.get(path)
      // Tests also start files by their paths, which this check does not see.
      if (!names && layerOf(path) === 'test') return []
      if (!names) return [`${path} is loaded by nothing: remove it, or name it as an entry`]
      if (names.has('*')) return []
      return values
        .filter((value) => !names.has(value))
        .map((value) => `${path} exports ${value} for nobody`)
    })
}
