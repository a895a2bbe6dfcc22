import { isAlias, isScalar, isSeq, type Alias, type ParsedNode, type YAMLMap } from 'yaml'
import { quote } from './manifest-fault.ts'
import { manifestLimits } from './manifest-limits.ts'
import { tooDeep, type TextFault } from './syntax-fault.ts'

export type Plain = {
  value: unknown
  faults: TextFault[]
  /** What each alias stands for. */
  targets: ReadonlyMap<Alias, ParsedNode>
}
type Made = { value: unknown; count: number }
type Anchored = { node: ParsedNode; made?: Made }

/** The limit of values or levels is passed, so nothing more is looked at. */
class TooMuch extends Error {}

/**
 * The document as plain values. An alias shares the value of its anchor and counts as much, so an alias
 * bomb is refused before anything is copied.
 */
export function toPlain(root: ParsedNode): Plain {
  const walk: Walk = { faults: [], targets: new Map(), anchors: new Map(), values: 0 }
  const { faults, targets } = walk
  try {
    return { value: plainOf(walk, root, 1), faults, targets }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
    return { value: undefined, faults: faults.slice(-1), targets }
  }
}

type Walk = {
  faults: TextFault[]
  targets: Map<Alias, ParsedNode>
  anchors: Map<string, Anchored>
  values: number
}

const report = ({ faults }: Walk, node: ParsedNode, message: string): void =>
  void faults.push({ offset: node.range[0], message })

function count(walk: Walk, node: ParsedNode, more: number): void {
  walk.values += more
  if (walk.values <= manifestLimits.values) return
  report(walk, node, tooManyValues)
  throw new TooMuch()
}

const tooManyValues = `a manifest has at most ${manifestLimits.values} values, each use of an alias counted in full: remove some`

function plainOf(walk: Walk, node: ParsedNode, level: number): unknown {
  if (isAlias(node)) return follow(walk, node)
  if (level > manifestLimits.levels) {
    report(walk, node, tooDeep)
    throw new TooMuch()
  }
  count(walk, node, 1)
  if (node.tag !== undefined) {
    const tag = quote(node.tag.replace('tag:yaml.org,2002:', '!!'))
    report(walk, node, `the tag ${tag} is refused: remove it, and put a text in quotes`)
  }
  const anchored: Anchored = { node }
  if (node.anchor) walk.anchors.set(node.anchor, anchored)
  const before = walk.values
  const value = isScalar(node)
    ? node.value
    : isSeq(node)
      ? node.items.map((item) => plainOf(walk, item, level + 1))
      : objectOf(walk, node, level)
  anchored.made = { value, count: walk.values - before + 1 }
  return value
}

function follow(walk: Walk, alias: Alias.Parsed): unknown {
  const anchored = walk.anchors.get(alias.source)
  const name = quote(`*${alias.source}`)
  if (!anchored) report(walk, alias, `the alias ${name} has no anchor before it: ${writeAnchor}`)
  else if (!anchored.made)
    report(walk, alias, `the alias ${name} is inside of its own anchor: write the value out`)
  if (!anchored?.made) return undefined
  count(walk, alias, anchored.made.count)
  walk.targets.set(alias, anchored.node)
  return anchored.made.value
}

const writeAnchor = 'write the same name with "&" before the value that it means'

function objectOf(walk: Walk, { items }: YAMLMap.Parsed, level: number): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  const seen = new Set<string>()
  for (const { key, value } of items) {
    // Other keys are faults of the text already.
    const name = isScalar(key) ? String(key.value) : ''
    if (isScalar(key) && key.anchor)
      walk.anchors.set(key.anchor, { node: key, made: { value: name, count: 1 } })
    const fault = seen.has(name) ? twice(name) : refusedKeys.get(name)
    if (fault !== undefined) report(walk, key, fault)
    const plain = value === null ? null : plainOf(walk, value, level + 1)
    if (fault === undefined) made[name] = plain
    seen.add(name)
  }
  return made
}

const twice = (name: string): string =>
  `the key ${quote(name)} is there twice: remove one, or join both`

const refusedKeys: ReadonlyMap<string, string> = new Map([
  // Assigned to an object, it would be its prototype.
  ['__proto__', 'the key "__proto__" is refused: remove it'],
  ['<<', 'merge keys ("<<") are refused: write the keys out, or use an alias for a whole value'],
])
