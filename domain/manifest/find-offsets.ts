import { isAlias, isMap, isScalar, isSeq, type Alias, type ParsedNode, type YAMLMap } from 'yaml'
import type { ValuePath } from './manifest-fault.ts'

/** A value of the manifest, or one of its keys. */
export type Spot = { path: ValuePath; key?: string }

type Entry = { key: ParsedNode; value: ParsedNode | null }

/**
 * Says where a value or a key stands in the text. A fault inside of what an alias stands for is at its
 * anchor, where it is corrected. A value that is not written is at its key.
 */
export function findOffsets(
  root: ParsedNode,
  targets: ReadonlyMap<Alias, ParsedNode>,
): (spot: Spot) => number {
  // By key, because a manifest may have thousands of faults in one object.
  const indexes = new Map<YAMLMap.Parsed, Map<string, Entry>>()
  const indexOf = (map: YAMLMap.Parsed): Map<string, Entry> => {
    const known = indexes.get(map)
    if (known) return known
    const index = new Map<string, Entry>()
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (!index.has(name)) index.set(name, { key, value })
    }
    indexes.set(map, index)
    return index
  }
  const entryOf = (node: ParsedNode, part: string | number): Entry | undefined => {
    const target = (isAlias(node) && targets.get(node)) || node
    if (isMap(target)) return indexOf(target).get(String(part))
    const item = isSeq(target) && typeof part === 'number' ? target.items[part] : undefined
    return item && { key: item, value: item }
  }

  return ({ path, key }) => {
    let node = root
    let offset = startOf(root)
    for (const part of path) {
      const entry = entryOf(node, part)
      if (!entry) return offset
      offset = startOf(isWritten(entry.value) ? entry.value : entry.key)
      if (!entry.value) return offset
      node = entry.value
    }
    const own = key === undefined ? undefined : entryOf(node, key)
    return own ? startOf(own.key) : offset
  }
}

const startOf = (node: ParsedNode): number => node.range[0]

const isWritten = (node: ParsedNode | null): node is ParsedNode =>
  node !== null && node.range[1] > node.range[0]
