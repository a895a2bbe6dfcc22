/**
 * Finds any of many patterns in a text, in one pass: an Aho-Corasick automaton. Linear in the text for
 * every choice of patterns and text, since an attacker chooses both (docs/decisions/0109-masks.md). It
 * takes about 11 bytes per character of the patterns.
 */
export function createTextMatcher(patterns: Iterable<string>): TextMatcher {
  const trie = buildTrie([...new Set(patterns)].filter((text) => text !== '').toSorted(byUnits))
  if (trie.patternCount > 0) linkFailures(trie)
  return {
    nodes: trie.unit.length,
    find: (text, options) => (trie.patternCount > 0 ? scan(trie, text, options) : []),
  }
}

export type TextMatcher = {
  /**
   * Where patterns occur, in order and without overlap: overlapping occurrences are one range, touching
   * ones are two. With `cutShort` the text continues elsewhere, so an end that may be the beginning of a
   * pattern is a range too.
   */
  find: (text: string, options?: { cutShort?: boolean }) => TextRange[]
  /** Size of the automaton, for tests and measurements. */
  nodes: number
}

/** From `start` to before `end`, in UTF-16 units. */
export type TextRange = { start: number; end: number }

/** Adds a range that ends no earlier than the others, and joins those that it overlaps. */
export function addRange(ranges: TextRange[], range: TextRange): void {
  let { start, end } = range
  for (let last = ranges.at(-1); last && last.end > start; last = ranges.at(-1)) {
    start = Math.min(start, last.start)
    end = Math.max(end, last.end)
    ranges.pop()
  }
  ranges.push({ start, end })
}

/**
 * Nodes are numbered in the order of the sorted patterns, so a node's first child has the next number and
 * only further children ("branches") need a table. Pattern k adds the nodes from `base[k]` on, below the
 * first `shared[k]` characters of the pattern before it.
 */
type Trie = {
  patternCount: number
  base: Int32Array
  shared: Int32Array
  lengths: Int32Array
  branchParent: Int32Array
  unit: Uint16Array
  flags: Uint8Array
  /** The node of the longest proper suffix that is in the trie. */
  fail: Int32Array
  /** Length of the longest pattern that ends here; 0: none does. */
  found: Int32Array
  branches: Branches
  /** The root's children by character: most characters of a text lead there. */
  root: Int32Array
  /** Their branches by both characters, each below 256: among many secrets, most other characters lead there. */
  pairs: Int32Array
}

const isFirstChild = 1
const hasBranches = 2
const isInPairs = 4

function buildTrie(sorted: readonly string[]): Trie {
  const count = sorted.length
  const shared = Int32Array.from(sorted, (text, k) => sharedPrefix(sorted[k - 1] ?? '', text))
  const lengths = Int32Array.from(sorted, (text) => text.length)
  const size = lengths.reduce((sum, length, k) => sum + length - (shared[k] ?? 0), 1)
  const unit = new Uint16Array(size)
  // One more, because a step reads the flag after a node.
  const flags = new Uint8Array(size + 1)
  const base = new Int32Array(count)
  const branchParent = new Int32Array(count)
  const found = new Int32Array(size)
  const branches = createBranches(count, unit)
  const path = new Int32Array(lengths.reduce((most, length) => Math.max(most, length), 0) + 1)
  let next = 1
  for (const [k, text] of sorted.entries()) {
    const from = shared[k] ?? 0
    const parent = path[from] ?? 0
    base[k] = next
    branchParent[k] = parent
    for (let depth = from; depth < text.length; depth += 1, next += 1) {
      unit[next] = text.charCodeAt(depth)
      if (depth > from || next === parent + 1) flags[next] = isFirstChild
      path[depth + 1] = next
    }
    if (flags[base[k] ?? 0] !== isFirstChild) {
      branches.add(parent, base[k] ?? 0)
      flags[parent] = (flags[parent] ?? 0) | hasBranches
    }
    found[next - 1] = text.length
  }
  const fail = new Int32Array(size)
  const root = rootOf(unit, base, shared)
  const pairs = new Int32Array(0x1_0000)
  for (const [k, node] of base.entries()) {
    const parent = branchParent[k] ?? 0
    if (shared[k] !== 1 || (unit[parent] ?? 0) > 0xff || (unit[node] ?? 0) > 0xff) continue
    pairs[((unit[parent] ?? 0) << 8) | (unit[node] ?? 0)] = node
  }
  for (const node of root.subarray(0, 0x100))
    if (node !== 0) flags[node] = (flags[node] ?? 0) | isInPairs
  return {
    patternCount: count,
    base,
    shared,
    lengths,
    branchParent,
    unit,
    flags,
    fail,
    found,
    branches,
    root,
    pairs,
  }
}

function rootOf(unit: Uint16Array, base: Int32Array, shared: Int32Array): Int32Array {
  const root = new Int32Array(0x1_0000)
  for (const [k, node] of base.entries()) if (shared[k] === 0) root[unit[node] ?? 0] = node
  return root
}

function sharedPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  return at
}

/** The child of a node for a character; 0, the root, if there is none. */
function step({ unit, flags, branches, pairs }: Trie, node: number, code: number): number {
  const first = node + 1
  if (((flags[first] ?? 0) & isFirstChild) !== 0 && unit[first] === code) return first
  const own = flags[node] ?? 0
  if ((own & hasBranches) === 0) return 0
  if ((own & isInPairs) !== 0 && code < 0x100) return pairs[((unit[node] ?? 0) << 8) | code] ?? 0
  return branches.find(node, code)
}

/** Follows failure links until the character fits. Each lowers the depth, so the total is linear. */
function advance(trie: Trie, from: number, code: number): number {
  let node = from
  for (;;) {
    if (node === 0) return trie.root[code] ?? 0
    const next = step(trie, node, code)
    if (next !== 0) return next
    node = trie.fail[node] ?? 0
  }
}

/** In breadth-first order, because a failure link points to a lower level. */
function linkFailures(trie: Trie): void {
  const { base, shared, lengths, branchParent, unit, fail, found } = trie
  const byShared = Int32Array.from(base.keys()).toSorted(
    (a, b) => (shared[a] ?? 0) - (shared[b] ?? 0),
  )
  let begun = 0
  let active: number[] = []
  for (let depth = 0; begun < byShared.length || active.length > 0; depth += 1) {
    for (; begun < byShared.length && shared[byShared[begun] ?? 0] === depth; begun += 1)
      active.push(byShared[begun] ?? 0)
    let ended = false
    for (const k of active) {
      const own = depth - (shared[k] ?? 0)
      const node = (base[k] ?? 0) + own
      const parent = own > 0 ? node - 1 : (branchParent[k] ?? 0)
      const to = parent === 0 ? 0 : advance(trie, fail[parent] ?? 0, unit[node] ?? 0)
      fail[node] = to
      if (found[node] === 0) found[node] = found[to] ?? 0
      ended ||= depth + 1 >= (lengths[k] ?? 0)
    }
    if (ended) active = active.filter((k) => depth + 1 < (lengths[k] ?? 0))
  }
}

function scan(trie: Trie, text: string, { cutShort = false } = {}): TextRange[] {
  const ranges: TextRange[] = []
  let node = 0
  for (let at = 0; at < text.length; at += 1) {
    node = advance(trie, node, text.charCodeAt(at))
    const length = trie.found[node] ?? 0
    if (length > 0) addRange(ranges, { start: at + 1 - length, end: at + 1 })
  }
  if (cutShort && node !== 0)
    addRange(ranges, { start: text.length - depthOf(trie, node), end: text.length })
  return ranges
}

function depthOf({ base, shared }: Trie, node: number): number {
  let low = 0
  let high = base.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((base[middle] ?? 0) <= node) low = middle
    else high = middle - 1
  }
  return (shared[low] ?? 0) + node - (base[low] ?? 0) + 1
}

type Branches = {
  add(parent: number, child: number): void
  find(parent: number, code: number): number
}

/** A hash table with open addressing and a random seed, so that an attacker cannot choose colliding keys. */
function createBranches(count: number, unit: Uint16Array): Branches {
  const size = 2 ** Math.ceil(Math.log2(2 * count + 2))
  const parents = new Int32Array(size)
  const children = new Int32Array(size)
  const seed = Math.floor(Math.random() * 2 ** 32) | 0
  const slotOf = (parent: number, code: number) => {
    const mixed = Math.imul(parent ^ seed, 0x9e3779b1) ^ Math.imul(code ^ (seed >>> 7), 0x85ebca6b)
    return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0
  }
  return {
    add(parent, child) {
      let slot = slotOf(parent, unit[child] ?? 0) & (size - 1)
      while (children[slot] !== 0) slot = (slot + 1) & (size - 1)
      parents[slot] = parent
      children[slot] = child
    },
    find(parent, code) {
      for (let slot = slotOf(parent, code) & (size - 1); ; slot = (slot + 1) & (size - 1)) {
        const child = children[slot] ?? 0
        if (child === 0 || (parents[slot] === parent && unit[child] === code)) return child
      }
    },
  }
}

/** Compares UTF-16 units, not by language. */
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
