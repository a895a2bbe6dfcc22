import { secretForms } from '../secrets/secret-forms.ts'
import { addRange, createTextMatcher, type TextRange } from '../secrets/text-matcher.ts'
import { findTokens, type TokenChoice } from '../secrets/token-shapes.ts'

/**
 * Makes a function that replaces every known secret and every well-known kind of token in a text. Its
 * time is linear in the text, whatever the secrets are.
 */
export function maskSecrets(secrets: readonly string[]): Mask {
  const matcher = withoutDetail(() => createTextMatcher(allForms(secrets)))
  return (text, maxLength = Number.POSITIVE_INFINITY, choice) =>
    withoutDetail(() => {
      const seen = text.length - maxLength > maxBeyond ? text.slice(0, maxLength + maxBeyond) : text
      const known = matcher.find(seen, { cutShort: seen.length < text.length })
      const ranges = union([...known, ...findTokens(seen, choice)])
      return replaceRanges(seen, ranges, Math.min(maxLength, seen.length))
    })
}

/**
 * With `maxLength`, only that much of the text is masked and returned. A secret that is cut by the end
 * is masked as far as it is there.
 */
export type Mask = (text: string, maxLength?: number, choice?: TokenChoice) => string

const masked = '[masked]'

/** How far beyond the end is read, so that a token that is cut by the end is still recognized. */
const maxBeyond = 4_096

/**
 * Limit of all forms of all secrets together; the automaton takes 11 bytes per character. 1 MiB of
 * secrets has about 6 Mi characters of forms.
 */
const maxFormCharacters = 12 * 1024 * 1024

/** Whether these secrets can be masked. The forms of a few characters can take 18 times their size. */
export function areMaskable(secrets: readonly string[]): boolean {
  try {
    allForms(secrets)
    return true
  } catch {
    return false
  }
}

function allForms(secrets: readonly string[]): Set<string> {
  const forms = new Set<string>()
  let characters = 0
  for (const secret of new Set(secrets))
    for (const form of secretForms(secret)) {
      if (forms.has(form)) continue
      forms.add(form)
      characters += form.length
      if (characters > maxFormCharacters) throw new RangeError('too many')
    }
  return forms
}

/** With a fixed text: an error of the code below could quote a secret, and errors are logged. */
export class MaskError extends Error {
  constructor() {
    super('The masks of a log failed.')
    this.name = 'MaskError'
  }
}

function withoutDetail<T>(work: () => T): T {
  try {
    return work()
  } catch {
    // Without its cause, which could quote a secret.
    throw new MaskError()
  }
}

function union(ranges: TextRange[]): TextRange[] {
  const joined: TextRange[] = []
  for (const range of ranges.toSorted((a, b) => a.end - b.end)) addRange(joined, range)
  return joined
}

function replaceRanges(text: string, ranges: readonly TextRange[], end: number): string {
  if (ranges.length === 0) return end < text.length ? text.slice(0, end) : text
  const parts: string[] = []
  let kept = 0
  for (const range of ranges) {
    if (range.start >= end) break
    parts.push(text.slice(kept, range.start), masked)
    kept = range.end
  }
  parts.push(text.slice(kept, Math.max(kept, end)))
  return parts.join('')
}
