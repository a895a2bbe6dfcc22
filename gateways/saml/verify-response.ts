import {
  JudgedRefusal,
  readResponse,
  SamlStatusRefusal,
  type ReadResponse,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { unavailable } from '../../domain/errors.ts'
import { createJobThread } from '../threads/job-thread.ts'
import { readTwice } from './read-twice.ts'
import type { Done, Job } from './verify-worker.ts'

export type ResponseVerifier = {
  /** Throws SamlRefusal where the response is not believed. */
  verify(xml: string, expected: ResponseExpected): Promise<ReadResponse>
  close(): Promise<void>
}

/** Below this length a response takes a millisecond, less than handing it to a thread. */
const inlineLength = 32_768
/** The largest accepted response takes a tenth of a second, so anything slower is an attack. */
const timeoutMs = 5_000
const maxWaiting = 32

/**
 * Verifies responses, large ones in a thread, so that one with a thousand groups does not block other
 * requests. If the thread hangs, the response is refused. With `twice`, node-saml must accept each as well.
 */
export function createResponseVerifier({ twice }: { twice: boolean }): ResponseVerifier {
  const thread = createJobThread<Job, Done>({
    script: new URL('verify-worker.ts', import.meta.url),
    timeoutMs,
    heapMb: 256,
  })
  return {
    async verify(xml, expected) {
      if (xml.length <= inlineLength)
        return twice ? readTwice(xml, expected) : readResponse(xml, expected)
      if (thread.waiting() >= maxWaiting)
        throw unavailable('busy', 'Too many sign-ins at once. Try again in a moment.')
      const done = (await thread.run({ xml, expected, twice })) ?? { failed: 'timeout' }
      if ('read' in done) return done.read
      if ('failed' in done) throw new SamlRefusal('verification_failed', { cause: done.failed })
      if (done.about) throw new JudgedRefusal(done.refused, done.about)
      throw done.status ? new SamlStatusRefusal(done.refused) : new SamlRefusal(done.refused)
    },
    close: async () => thread.close(),
  }
}
