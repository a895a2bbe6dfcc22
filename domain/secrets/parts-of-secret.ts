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
  let characters = 0
  for (const text of textsIn(value)) {
    if (parts.has(text)) continue
    characters += text.length
    if (parts.size >= maxParts || characters > maxCharacters) return { parts, isIncomplete: true }
    parts.add(text)
  }
  return { parts, isIncomplete: false }
}

/**
 * All texts that are long enough, one after the other and also where they repeat, so that a caller can stop. JSON is
 * read as HCL is, by its quotes: quoted texts that are no key (`{ password = "…" }`, `{ "password" : "…" }`). To parse
 * a megabyte of `[1,1,1,…` would take 50 ms at each read.
 */
export function* textsIn(value: string): Generator<string> {
  if (!/^\s*[[{]/.test(value)) return
  for (let at = value.indexOf('"'); at >= 0; at = value.indexOf('"', at)) {
    const start = at + 1
    const end = endOfText(value, start)
    if (end >= value.length) return
    at = end + 1
    while (isSpace(value.charCodeAt(at))) at += 1
    const isKey = value[at] === ':' || (value[at] === '=' && value[at + 1] !== '=')
    if (isKey || end - start < shortest) continue
    const text = unescaped(value.slice(start, end))
    if (text.length >= shortest) yield text
  }
}

function endOfText(value: string, start: number): number {
  let end = start
  for (; end < value.length; end += 1) {
    const code = value.charCodeAt(end)
    if (code === quote) return end
    if (code === backslash) end += 1
  }
  return end
}

const [quote, backslash] = [34, 92]
/** Tab, line feed, carriage return and space. */
const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}
