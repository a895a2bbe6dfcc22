import { unavailable } from '../../domain/errors.ts'
import { maskSecrets } from '../../domain/runs/mask-secrets.ts'
import type { TokenChoice } from '../../domain/secrets/token-shapes.ts'
import { createTurns } from '../runner/turns.ts'
import { createJobThread } from '../threads/job-thread.ts'
import type { MaskJob } from './mask-worker.ts'

/** Masks texts, each up to `maxLength` (domain/runs/mask-secrets.ts). */
export type MaskTexts = (
  texts: readonly string[],
  maxLength: number,
  choice?: TokenChoice,
) => Promise<string[]>

export type TextMasker = {
  /** `key` names this list of secrets and no other of the organization. */
  by(secrets: readonly string[], owner: { organizationId: number; key: string }): MaskTexts
  close(): Promise<void>
}

/** The mask of 1 MiB takes two seconds. */
const timeoutMs = 30_000
const busy = 'Too many logs of your organization are being masked. Try again in a moment.'

/**
 * Masks texts, by many secrets in a thread: a mask of all that a pipeline's variables may hold takes seconds to make.
 * An organization has one turn at a time there. Answers `unavailable` where too many of it wait.
 */
export function createTextMasker({ inlineCharacters = 4_096 } = {}): TextMasker {
  const thread = createJobThread<MaskJob, string[]>({
    script: new URL('mask-worker.ts', import.meta.url),
    timeoutMs,
    heapMb: 256,
  })
  const turns = createTurns({ atOnce: 1, ofOrganization: 1, waiting: 20, busy })
  return {
    by(secrets, { organizationId, key }) {
      const characters = secrets.reduce((sum, secret) => sum + secret.length, 0)
      if (characters <= inlineCharacters) {
        const mask = maskSecrets(secrets)
        return async (texts, maxLength, choice) =>
          texts.map((text) => mask(text, maxLength, choice))
      }
      return async (texts, maxLength, choice) => {
        const end = await turns.take(organizationId)
        try {
          const job = {
            // One organization's masks are never another's, whatever it names them.
            key: `${organizationId} ${key}`,
            secrets: [...secrets],
            texts: [...texts],
            maxLength,
            ...(choice && { choice }),
          }
          const masked = await thread.run(job)
          if (!masked)
            throw unavailable('busy', 'The log could not be masked in time. Send it again.')
          return masked
        } finally {
          end()
        }
      }
    },
    close: async () => thread.close(),
  }
}
