import { parentPort } from 'node:worker_threads'
import type { AssertionFacts } from '../../domain/saml/assertion-facts.ts'
import {
  JudgedRefusal,
  SamlStatusRefusal,
  type ReadResponse,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { readTwice } from './read-twice.ts'

export type Job = { id: number; xml: string; expected: ResponseExpected }
export type Done =
  | { id: number; read: ReadResponse }
  | { id: number; refused: string; status: boolean; about: AssertionFacts | undefined }
  | { id: number; failed: string }

/** The thread that reads large responses: by the same rules, only elsewhere. */
parentPort?.on('message', (job: Job) => void serve(job))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('ready')

async function serve({ id, xml, expected }: Job): Promise<void> {
  const done = await answer(id, xml, expected)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(done)
}

async function answer(id: number, xml: string, expected: ResponseExpected): Promise<Done> {
  try {
    return { id, read: await readTwice(xml, expected) }
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
