/** A leaf of a JSON text that differs. Undefined: it is not there. */
export type JsonPart = { path: string; before: string | undefined; after: string | undefined }
export type JsonDiff = { parts: JsonPart[]; omitted: number }

const maxParts = 200
const maxDepth = 64

/**
 * What differs between two JSON texts, by path. Undefined where a text is no object and no list, or where
 * reading it would lose something, such as a second value of a key or the digits of a long number: a
 * difference must not vanish.
 */
export function jsonDiff(before: string, after: string): JsonDiff | undefined {
  const [was, is] = [readJson(before), readJson(after)]
  if (!was || !is) return undefined
  const diff: JsonDiff = { parts: [], omitted: 0 }
  compare({ before: was.value, after: is.value, path: '' }, diff)
  return diff.parts.length > 0 ? diff : undefined
}

/** The same text with line breaks. */
export function prettyJson(text: string): string | undefined {
  const read = readJson(text)
  return read && JSON.stringify(read.value, null, 2)
}

function readJson(text: string): { value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text) || isDeep(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === compact(text) ? { value } : undefined
  } catch {
    return undefined
  }
}

/** The text without spaces, its strings in the one form that `JSON.stringify` gives them. */
const compact = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  )

function isDeep(text: string): boolean {
  let depth = 0
  for (const one of text)
    if (one === '[' || one === '{') {
      depth += 1
      if (depth > maxDepth) return true
    } else if (one === ']' || one === '}') depth -= 1
  return false
}

type Pair = { before: unknown; after: unknown; path: string }

function compare({ before, after, path }: Pair, diff: JsonDiff): void {
  const [was, is] = [textOf(before), textOf(after)]
  if (was === is) return
  if (Array.isArray(before) && Array.isArray(after))
    return compareLists(before, after, { path, diff })
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare({ before: own(before, key), after: own(after, key), path: step(path, key) }, diff)
    // The same keys in another order: as JSON nothing differs.
    return
  }
  if (diff.parts.length < maxParts) diff.parts.push({ path, before: was, after: is })
  else diff.omitted += 1
}

/** Elements at the begin and the end that are equal are left out, so that one new element is one difference. */
function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  { path, diff }: { path: string; diff: JsonDiff },
): void {
  const [olds, news] = [before.map(textOf), after.map(textOf)]
  const shorter = Math.min(olds.length, news.length)
  let start = 0
  while (start < shorter && olds[start] === news[start]) start += 1
  let end = 0
  while (end < shorter - start && olds.at(-1 - end) === news.at(-1 - end)) end += 1
  const longer = Math.max(before.length, after.length) - end
  for (let at = start; at < longer; at += 1)
    compare(
      {
        before: at < before.length - end ? before[at] : undefined,
        after: at < after.length - end ? after[at] : undefined,
        path: `${path}[${at}]`,
      },
      diff,
    )
}

/** `undefined` for what is not there. */
const textOf = (value: unknown): string | undefined => JSON.stringify(value)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const own = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

const step = (path: string, key: string): string => {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}
