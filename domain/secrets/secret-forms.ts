import { stripControls } from './strip-controls.ts'

/**
 * The forms in which a secret appears in a log or an output. A secret of several lines is searched for
 * line by line, as it is printed; each in JSON, in a URL and in base64, as tools pass it on.
 */
export function secretForms(secret: string, options: FormOptions = {}): Set<string> {
  const parts = secret.includes('\n') ? [secret, ...secret.split(/\r?\n/)] : [secret]
  return new Set(parts.flatMap((part) => formsOf(part, options)))
}

type FormOptions = {
  shortest?: number
  /** Of two forms where one begins with the other, the shorter is enough to find where they begin. */
  onlyBeginnings?: boolean
}

/** The same of a text as a whole. */
export function formsOf(
  text: string,
  { shortest = shortestSecret, onlyBeginnings = false }: FormOptions = {},
): string[] {
  const part = text.trim()
  if (part.length < shortest) return []
  // Most secrets: to make the other forms, which are equal, takes most of the time.
  if (isSameInAllForms.test(part))
    return [part, ...base64Forms(part, { onlyBeginnings })].filter(isLongEnough)
  const whole = part.toWellFormed()
  const json = JSON.stringify(part).slice(1, -1)
  const forms = [
    part,
    stripControls(part),
    json,
    likeGo(json),
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(whole),
    likeQuery(whole),
    ...base64Forms(whole, { onlyBeginnings }),
  ]
  return forms.filter(isLongEnough)

  function isLongEnough(form: string): boolean {
    return form.length >= shortest
  }
}

/** Neither JSON nor a URL escapes these characters. */
const isSameInAllForms = /^[\w.~-]*$/

/** Shorter values would mask half of every log, and the gaps would reveal them. */
export const shortestSecret = 4

/**
 * Why a value cannot be masked; undefined if it can. An empty value needs no mask. A value of several
 * lines is printed line by line, so at least one line must be long enough.
 */
export function whyUnmaskable(value: string): string | undefined {
  if (value.trim() === '') return undefined
  return value.split(/\r?\n/).some((line) => line.trim().length >= shortestSecret)
    ? undefined
    : `is shorter than ${shortestSecret} characters, so it cannot be masked in logs`
}

/** As Go's encoding/json, and so `jsonencode`, writes it. */
const likeGo = (json: string): string =>
  json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** As a form, and Go's url.QueryEscape, writes it. */
const likeQuery = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')

/** Longer secrets stand alone in a base64 text; a short one may follow a name (`user:password`). */
const longestInside = 4_096

/**
 * The base64 of a text at the end of another one, and its characters that do not depend on what is around
 * it, for each of the three offsets at which it can begin.
 */
function base64Forms(text: string, { onlyBeginnings }: { onlyBeginnings: boolean }): string[] {
  // Two bytes before it, as many as an offset needs at most.
  const bytes = Buffer.from(`\0\0${text}`)
  const count = bytes.length - 2
  const forms: string[] = []
  const add = (form: string) => {
    forms.push(form)
    if (/[+/]/.test(form)) forms.push(form.replaceAll('+', '-').replaceAll('/', '_'))
  }
  for (const before of count <= longestInside ? [0, 1, 2] : [0]) {
    const encoded = bytes.toString('base64', 2 - before)
    // Without its padding.
    if (before === 0 && !onlyBeginnings) add(encoded.slice(0, Math.ceil((count * 8) / 6)))
    const from = Math.ceil((before * 8) / 6)
    add(encoded.slice(from, Math.floor(((before + count) * 8) / 6)))
  }
  return forms
}
