import { Worker } from 'node:worker_threads'
import {
  JudgedRefusal,
  readResponse,
  SamlStatusRefusal,
  type ReadResponse,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { unavailable } from '../../domain/errors.ts'
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
/** Loading the thread's modules takes a while on a busy machine. */
const startMs = 30_000
const maxWaiting = 32

type Waiting = { job: Job; settle: (done: Done) => void }

/**
 * Verifies responses, large ones in a thread, so that one with a thousand groups does not block other
 * requests. The thread starts with the first of them; if it hangs, it is terminated and what waited is
 * refused. With `twice`, node-saml must accept each as well.
 */
export function createResponseVerifier({ twice }: { twice: boolean }): ResponseVerifier {
  let worker: Worker | undefined
  let busy: Waiting | undefined
  const queue: Waiting[] = []
  let sequence = 0
  let timer: NodeJS.Timeout | undefined
  let ready = false

  const limitTime = () => {
    clearTimeout(timer)
    if (busy) timer = setTimeout(lose, ready ? timeoutMs : startMs)
  }
  const finish = (done: Done) => {
    clearTimeout(timer)
    const current = busy
    busy = undefined
    current?.settle(done)
    next()
  }
  const lose = () => {
    const lost = worker
    worker = undefined
    ready = false
    lost?.removeAllListeners()
    void lost?.terminate()
    if (busy) finish({ id: busy.job.id, failed: 'timeout' })
  }
  const start = (): Worker => {
    const started = new Worker(new URL('verify-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    started.on('message', (message: Done | 'ready') => {
      if (message !== 'ready') return finish(message)
      ready = true
      limitTime()
    })
    started.on('error', lose)
    started.on('exit', lose)
    // A process that has nothing else to do may end.
    started.unref()
    return started
  }
  const next = () => {
    if (busy) return
    busy = queue.shift()
    if (!busy) return
    worker ??= start()
    limitTime()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(busy.job)
  }

  return {
    async verify(xml, expected) {
      if (xml.length <= inlineLength)
        return twice ? readTwice(xml, expected) : readResponse(xml, expected)
      if (queue.length >= maxWaiting)
        throw unavailable('busy', 'Too many sign-ins at once. Try again in a moment.')
      const done = await new Promise<Done>((settle) => {
        sequence += 1
        queue.push({ job: { id: sequence, xml, expected, twice }, settle })
        next()
      })
      if ('read' in done) return done.read
      if ('failed' in done) throw new SamlRefusal('verification_failed', { cause: done.failed })
      if (done.about) throw new JudgedRefusal(done.refused, done.about)
      throw done.status ? new SamlStatusRefusal(done.refused) : new SamlRefusal(done.refused)
    },
    async close() {
      clearTimeout(timer)
      worker?.removeAllListeners()
      await worker?.terminate()
    },
  }
}
