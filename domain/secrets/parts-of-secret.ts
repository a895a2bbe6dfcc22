/** Shorter texts are in other values by chance. */
const shortest = 8
const maxParts = 1_000
const maxCharacters = 65_536

/**
 * The texts within a sensitive value of OpenTofu that is an object or a list, as JSON or HCL: a configuration passes
 * on `var.db.password`, which is only a part of the value. Its keys are not secret. Time is linear in the value.
 */
export const partsOfSecret = (value: string): string[] => [...read(value).parts]

/** A sensitive value of OpenTofu and the texts within it. */
export function withParts(value: string): MaskedPart[] {
  const { parts, isIncomplete } = read(value)
  const whole = { value, ...(isIncomplete && { isIncomplete }) }
  return [whole, ...[...parts].map((part) => ({ value: part }))]
}

/** `isIncomplete`: it has more texts than those that follow it. */
export type MaskedPart = { value: string; isIncomplete?: boolean }

/** Why not every text within the value can be masked; undefined if each can. */
export const whyPartsUnmaskable = (value: string): string | undefined =>
  read(value).isIncomplete ? whyIncomplete : undefined

export const whyIncomplete = `has more than ${maxParts} texts of ${shortest} or more characters, or ${maxCharacters} characters in them, so not all of them can be masked in logs`

function read(value: string): { parts: ReadonlySet<string>; isIncomplete: boolean } {
  const parts = new Set<string>()
  if (!/^\s*[[{]/.test(value)) return { parts, isIncomplete: false }
  let characters = 0
  for (const text of textsOfJson(value) ?? textsOfHcl(value)) {
    if (text.length < shortest || parts.has(text)) continue
    characters += text.length
    if (parts.size >= maxParts || characters > maxCharacters) return { parts, isIncomplete: true }
    parts.add(text)
  }
  return { parts, isIncomplete: false }
}

function textsOfJson(value: string): string[] | undefined {
  let document: unknown
  try {
    document = JSON.parse(value)
  } catch {
    return undefined
  }
  const texts: string[] = []
  // Not by recursion, which a deeply nested value would end with a stack overflow.
  const left: unknown[] = [document]
  while (left.length > 0) {
    const item = left.pop()
    if (typeof item === 'string') texts.push(item)
    else if (typeof item === 'object' && item !== null)
      for (const inner of Object.values(item)) left.push(inner)
  }
  return texts
}

/** Quoted texts that are no key: `{ password = "…" }`, `{ "password" : "…" }`. */
function textsOfHcl(value: string): string[] {
  const texts: string[] = []
  for (let at = value.indexOf('"'); at >= 0; at = value.indexOf('"', at)) {
    let end = at + 1
    while (end < value.length && value[end] !== '"') end += value[end] === '\\' ? 2 : 1
    if (end >= value.length) break
    const raw = value.slice(at + 1, end)
    at = end + 1
    let next = at
    while (next < value.length && /\s/.test(value[next] ?? '')) next += 1
    const isKey = value[next] === ':' || (value[next] === '=' && value[next + 1] !== '=')
    if (!isKey) texts.push(unescaped(raw))
    at = Math.max(at, next)
  }
  return texts
}

function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}
