import { parentPort } from 'node:worker_threads'
import type { AssertionFacts } from '../../domain/saml/assertion-facts.ts'
import {
  JudgedRefusal,
  readResponse,
  SamlStatusRefusal,
  type ReadResponse,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { readTwice } from './read-twice.ts'

/** `twice`: node-saml has to accept it as well. */
export type Job = { id: number; xml: string; expected: ResponseExpected; twice: boolean }
export type Done =
  | { id: number; read: ReadResponse }
  | { id: number; refused: string; status: boolean; about: AssertionFacts | undefined }
  | { id: number; failed: string }

/** The thread that reads large responses: by the same rules, only elsewhere. */
parentPort?.on('message', (job: Job) => void serve(job))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('ready')

async function serve(job: Job): Promise<void> {
  const done = await answer(job)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(done)
}

async function answer({ id, xml, expected, twice }: Job): Promise<Done> {
  try {
    return { id, read: twice ? await readTwice(xml, expected) : readResponse(xml, expected) }
  } catch (error) {
    if (error instanceof SamlRefusal)
      return {
        id,
        refused: error.reason,
        status: error instanceof SamlStatusRefusal,
        about: error instanceof JudgedRefusal ? error.about : undefined,
      }
    return { id, failed: error instanceof Error ? error.name : 'unknown' }
  }
}
