import { cutText } from '../notifications/bound-detail.ts'

/** Of the detail of one entry as JSON. A page has 200 entries. */
const mostBytes = 8_192

type Bound = { characters: number; entries: number }

/** Tried in this order, until the detail is small enough. */
const bounds: readonly Bound[] = [
  { characters: 400, entries: 20 },
  { characters: 150, entries: 10 },
  { characters: 60, entries: 5 },
]

/**
 * The detail of an audit entry as JSON, of 8 KiB at most. One that is larger has its texts cut, with an ellipsis,
 * and its lists and objects. `truncated` has how many bytes the whole detail had, and how many entries each list
 * or object had that was cut, by its path.
 */
export function auditedDetail(detail: Record<string, unknown>): string {
  const whole = JSON.stringify(detail)
  const bytes = Buffer.byteLength(whole)
  if (bytes <= mostBytes) return whole
  for (const bound of bounds) {
    const entries: Record<string, number> = {}
    const cut = cutValue(JSON.parse(whole), { bound, path: '', entries })
    const json = JSON.stringify({ ...(cut as object), truncated: { bytes, entries } })
    if (Buffer.byteLength(json) <= mostBytes) return json
  }
  const names = Object.keys(detail)
  const fields = names.slice(0, 20).map((name) => cutText(name, 60))
  return JSON.stringify({ fields, truncated: { bytes, entries: { fields: names.length } } })
}

type Place = { bound: Bound; path: string; entries: Record<string, number> }

function cutValue(value: unknown, { bound, path, entries }: Place): unknown {
  if (typeof value === 'string') return cutText(value, bound.characters)
  if (typeof value !== 'object' || value === null) return value
  const all = Object.entries(value)
  if (all.length > bound.entries) entries[path] = all.length
  const kept = all.slice(0, bound.entries).map(([name, one]): [string, unknown] => {
    const short = cutText(name, bound.characters)
    return [short, cutValue(one, { bound, path: path ? `${path}.${short}` : short, entries })]
  })
  return Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept)
}
