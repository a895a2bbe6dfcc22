import type { Plan } from './parse-plan.ts'
import { isRecord, own } from './record.ts'

/** What each resource of a configuration needs, by addresses without the keys of instances. */
export type ConfigurationGraph = ReadonlyMap<string, ReadonlySet<string>>

/** `module.a["x"].aws_vpc.main[0]` as `module.a.aws_vpc.main`: one block of the configuration. */
export const withoutKeys = (address: string): string =>
  address.replaceAll(/\[(?:"(?:[^"\\]|\\.)*"|\d+)\]/g, '')

/**
 * Reads which resources refer to which, through variables and outputs of modules, and what the state of
 * before says of resources that exist. OpenTofu prints no expressions of local values: what a new resource
 * needs through one alone is not found. The work is bounded, whatever the configuration is like.
 */
export function configurationGraph({ document }: Plan): ConfigurationGraph {
  const graph = readConfiguration(own(document['configuration'], 'root_module'))
  addPriorState(own(own(document['prior_state'], 'values'), 'root_module'), graph)
  return graph
}

/** The limits of one plan; what is beyond has no edges. */
const maxResources = 50_000
const maxSteps = 500_000
const maxNeeds = 100
const maxDepth = 100

type Module = {
  prefix: string
  config: unknown
  call: unknown
  parent: Module | undefined
  children: Map<string, Module>
}

type Reading = {
  modules: Module[]
  /** The addresses of all blocks. */
  known: Set<string>
  memo: Map<string, Set<string>>
  steps: number
}

function readConfiguration(root: unknown): Map<string, Set<string>> {
  const reading: Reading = { modules: [], known: new Set(), memo: new Map(), steps: 0 }
  const whole = { prefix: '', config: root, call: undefined, parent: undefined }
  collect(reading, { ...whole, children: new Map() })
  const graph = new Map<string, Set<string>>()
  for (const module of reading.modules) {
    const shared = neededByModule(reading, module)
    for (const resource of listOf(own(module.config, 'resources'))) {
      const address = addressOf(module, resource)
      if (address === undefined) continue
      const needs = new Set(shared)
      resolveAll(referencesOf(resource, resourceParts), { reading, module, needs, depth: 0 })
      needs.delete(address)
      graph.set(address, needs)
    }
  }
  return graph
}

function collect(reading: Reading, module: Module): void {
  reading.modules.push(module)
  for (const resource of listOf(own(module.config, 'resources'))) {
    const address = addressOf(module, resource)
    if (address !== undefined && reading.known.size < maxResources) reading.known.add(address)
  }
  const calls = own(module.config, 'module_calls')
  for (const [name, call] of Object.entries(isRecord(calls) ? calls : {})) {
    const prefix = `${module.prefix}module.${name}.`
    const config = own(call, 'module')
    const child: Module = { prefix, config, call, parent: module, children: new Map() }
    module.children.set(name, child)
    collect(reading, child)
  }
}

/** What the block of the module needs, every resource in it needs too. */
const neededByModule = (reading: Reading, module: Module): Set<string> =>
  memoized(reading, `${module.prefix} block`, (needs) => {
    const { parent } = module
    if (!parent) return
    for (const one of neededByModule(reading, parent)) add(needs, one)
    resolveAll(referencesOf(module.call, callParts), { reading, module: parent, needs, depth: 0 })
  })

type Place = { reading: Reading; module: Module; needs: Set<string>; depth: number }
type Reference = { head: string; name: string; output: string | undefined; reference: string }

function resolveAll(references: readonly string[], place: Place): void {
  const parts = references.map((reference): Reference => {
    const [head = '', name = '', output] = reference.split('.')
    return { head, name, output, reference }
  })
  const byOutput = new Set(
    parts.flatMap(({ head, name, output }) => (head === 'module' && output ? [name] : [])),
  )
  // `module.a.b` comes with `module.a`, which would be all of the module.
  for (const one of parts)
    if (one.head !== 'module' || one.output || !byOutput.has(one.name)) resolve(one, place)
}

function resolve(one: Reference, place: Place): void {
  const { reading, module, needs, depth } = place
  reading.steps += 1
  if (depth > maxDepth || reading.steps > maxSteps) return
  if (one.head === 'var' || one.head === 'module') {
    const key = `${module.prefix} ${one.head} ${one.name} ${one.output ?? ''}`
    const found = memoized(reading, key, (inner) => {
      const within = { ...place, needs: inner, depth: depth + 1 }
      if (one.head === 'var') resolveVariable(one, within)
      else resolveModule(one, within)
    })
    for (const address of found) add(needs, address)
    return
  }
  const parts = one.reference.split('.')
  const address = module.prefix + parts.slice(0, one.head === 'data' ? 3 : 2).join('.')
  if (reading.known.has(address)) add(needs, address)
}

/** A variable of a module is an expression of its call. */
function resolveVariable({ name }: Reference, place: Place): void {
  const { parent, call } = place.module
  if (!parent) return
  const expression = own(own(call, 'expressions'), name)
  resolveAll(referencesIn(expression), { ...place, module: parent })
}

function resolveModule({ name, output }: Reference, place: Place): void {
  const child = place.module.children.get(name)
  if (!child) return
  if (output === undefined) return addWhole(child, place)
  const block = own(own(child.config, 'outputs'), output)
  resolveAll(referencesOf(block, ['expression']), { ...place, module: child })
}

function addWhole({ prefix }: Module, { reading, needs }: Place): void {
  for (const address of reading.known) {
    reading.steps += 1
    if (needs.size >= maxNeeds || reading.steps > maxSteps) return
    if (address.startsWith(prefix)) needs.add(address)
  }
}

/** A set that is being filled is empty for what asks for it meanwhile: a forged configuration may loop. */
function memoized({ memo }: Reading, key: string, fill: (needs: Set<string>) => void): Set<string> {
  const before = memo.get(key)
  if (before) return before
  const needs = new Set<string>()
  memo.set(key, needs)
  fill(needs)
  return needs
}

const add = (needs: Set<string>, one: string) => {
  if (needs.size < maxNeeds) needs.add(one)
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function addressOf(module: Module, resource: unknown): string | undefined {
  const address = own(resource, 'address')
  return typeof address === 'string' ? module.prefix + withoutKeys(address) : undefined
}

const resourceParts = [
  'expressions',
  'count_expression',
  'for_each_expression',
  'enabled_expression',
]
const callParts = ['count_expression', 'for_each_expression', 'enabled_expression']

const maxReferences = 1_000

/** The references in parts of a block, and what it names in `depends_on`. */
function referencesOf(block: unknown, parts: readonly string[]): string[] {
  const dependsOn = listOf(own(block, 'depends_on')).filter((one) => typeof one === 'string')
  return [
    ...dependsOn.slice(0, maxReferences).map(withoutKeys),
    ...parts.flatMap((part) => referencesIn(own(block, part))),
  ]
}

/** Values are left out: a key of one may be called `references`. */
function referencesIn(expression: unknown, found: string[] = []): string[] {
  if (found.length >= maxReferences) return found
  if (Array.isArray(expression)) for (const one of expression) referencesIn(one, found)
  else if (isRecord(expression))
    for (const [key, value] of Object.entries(expression)) {
      if (key === 'constant_value') continue
      if (key === 'references')
        found.push(
          ...listOf(value)
            .filter((one) => typeof one === 'string')
            .slice(0, maxReferences)
            .map(withoutKeys),
        )
      // A block may have this name too, and then it holds expressions.
      referencesIn(value, found)
    }
  return found
}

/** The state names what an object needed when it was last applied: all that is known of one to be destroyed. */
function addPriorState(module: unknown, graph: Map<string, Set<string>>): void {
  for (const resource of listOf(own(module, 'resources'))) {
    const address = own(resource, 'address')
    if (typeof address !== 'string') continue
    const key = withoutKeys(address)
    const needs = graph.get(key) ?? new Set<string>()
    for (const one of listOf(own(resource, 'depends_on')))
      if (typeof one === 'string' && one !== key) add(needs, withoutKeys(one))
    if (needs.size > 0) graph.set(key, needs)
  }
  for (const child of listOf(own(module, 'child_modules'))) addPriorState(child, graph)
}
