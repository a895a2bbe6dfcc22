import { AppError, unavailable } from '../../domain/errors.ts'
import { stripControls } from '../../domain/secrets/strip-controls.ts'
import { createTextMasker, type MaskTexts } from '../../gateways/masking/mask-texts.ts'

/** Masks what is said of an attempt. */
export type AttemptMask = {
  /** Texts as they are, each up to so many characters. */
  texts: MaskTexts
  /**
   * Lines of a log and messages, without control characters. Never fails: a line that cannot be masked is replaced
   * by a sentence that says so, because the end of a run must not depend on its masks.
   */
  lines(texts: readonly string[]): Promise<string[]>
  close(): Promise<void>
}

const maxLineLength = 2_000
const busy = 'What is said of the build could not be masked in time.'
const notShown =
  'This line is not shown, because the sensitive values of the build could not be masked in it.'

/**
 * A mask of these secrets, which is made at its first text, and again only after secrets were added to the list. Of
 * 1 MiB of secrets that takes half a second and 50 MB, so it is made in a thread, which ends with the attempt.
 */
export function attemptMask(secrets: readonly string[], organizationId: number): AttemptMask {
  const masker = createTextMasker()
  let made: { of: number; mask: MaskTexts } | undefined
  const texts: MaskTexts = async (some, maxLength, choice) => {
    const of = secrets.length
    if (made?.of !== of)
      made = { of, mask: masker.by([...secrets], { organizationId, key: String(of) }) }
    try {
      return await made.mask(some, maxLength, choice)
    } catch (error) {
      // Its own words are for an agent that sends a log.
      throw error instanceof AppError ? unavailable('busy', busy) : error
    }
  }
  return {
    texts,
    async lines(some) {
      try {
        // Before the masks: a secret with a control character inside would pass them.
        return await texts(some.map(stripControls), maxLineLength)
      } catch {
        return some.map(() => notShown)
      }
    },
    close: async () => masker.close(),
  }
}
