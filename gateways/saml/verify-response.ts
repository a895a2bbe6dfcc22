import {
  JudgedRefusal,
  readResponse,
  SamlStatusRefusal,
  type ReadResponse,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { createJobThread } from '../threads/job-thread.ts'
import { readTwice } from './read-twice.ts'
import type { Done, Job } from './verify-worker.ts'

export type ResponseVerifier = {
  /** Whether it waits for its turn in the thread, where its organization is to have a share alone. */
  isLarge(xml: string): boolean
  /** Throws SamlRefusal where the response is not believed. */
  verify(xml: string, expected: ResponseExpected): Promise<ReadResponse>
  close(): Promise<void>
}

/** Below this length a response takes a millisecond, less than handing it to a thread. */
const inlineLength = 32_768
/** The largest accepted response takes a tenth of a second, so anything slower is an attack. */
const timeoutMs = 5_000

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
  const isLarge = (xml: string): boolean => xml.length > inlineLength
  return {
    isLarge,
    async verify(xml, expected) {
      if (!isLarge(xml)) return twice ? readTwice(xml, expected) : readResponse(xml, expected)
      const done = (await thread.run({ xml, expected, twice })) ?? { failed: 'timeout' }
      if ('read' in done) return done.read
      if ('failed' in done) throw new SamlRefusal('verification_failed', { cause: done.failed })
      if (done.about) throw new JudgedRefusal(done.refused, done.about)
      throw done.status ? new SamlStatusRefusal(done.refused) : new SamlRefusal(done.refused)
    },
    close: async () => thread.close(),
  }
}
