import { refusal } from './refusals.ts'

/**
 * How many letters of stored texts the operations of one PATCH may read: some 20 ms of CPU at worst. Without the limit
 * 200 operations that each compare 20 terms with 100 addresses of 1,000 letters hold up everybody's requests for
 * seconds, and as they change nothing, an attacker with a SCIM token can send them again and again. 200 operations that
 * look for one of 100 e-mails by its value read a sixth of it, and what identity providers send a thousandth.
 */
export const maxPatchLetters = 2_000_000

/** The call of a comparison takes as long as reading so many letters, also where the texts are short. */
const leastLetters = 16

/** A search for a longer text may read each letter again for each so many of that text. */
const lettersOfOneSearch = 64

/** What the operations of one request have read so far, and the texts that they have in common. */
export type PatchWork = {
  /** The request's operation that is applied, from 1. */
  operation: number
  letters: number
  /** In lower case. A text is converted once a request, however many operations and terms compare it. */
  folded: (text: string) => string
  /** Counts a comparison that reads so many fields of an element. */
  countFields: (fields?: number) => void
  /** Counts a search through a text. */
  countSearch: (text: string, sought: string) => void
}

/** The work of one request, which is refused as a whole once it is more than its limit. */
export function patchWork(): PatchWork {
  const folds = new Map<string, string>()
  const count = (letters: number) => {
    work.letters += letters
    if (work.letters > maxPatchLetters) throw tooMuch(work.operation)
  }
  const work: PatchWork = {
    operation: 1,
    letters: 0,
    folded(text) {
      const known = folds.get(text)
      if (known !== undefined) return known
      count(text.length)
      const lower = text.toLowerCase()
      folds.set(text, lower)
      return lower
    },
    countFields: (fields = 1) => count(leastLetters * fields),
    countSearch: (text, sought) =>
      count(leastLetters + text.length * Math.ceil(sought.length / lettersOfOneSearch)),
  }
  return work
}

const tooMuch = (operation: number) =>
  refusal(
    'invalidValue',
    `Operation ${operation} compares too much: the operations of one request may read ${maxPatchLetters.toLocaleString('en')} letters of stored values. Send fewer operations, filters of fewer comparisons, or shorter lists of values.`,
  )
