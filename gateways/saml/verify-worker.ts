import { parentPort } from 'node:worker_threads'
import type { AssertionFacts } from '../../domain/saml/assertion-facts.ts'
import {
  JudgedRefusal,
  readResponse,
  SamlStatusRefusal,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'

export type Job = { id: number; xml: string; expected: ResponseExpected }
export type Done =
  | { id: number; read: ReturnType<typeof readResponse> }
  | { id: number; refused: string; status: boolean; about: AssertionFacts | undefined }
  | { id: number; failed: string }

/** The thread that reads large responses: the rules are those of domain/saml, only elsewhere. */
parentPort?.on('message', ({ id, xml, expected }: Job) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(answer(id, xml, expected))
})

function answer(id: number, xml: string, expected: ResponseExpected): Done {
  try {
    return { id, read: readResponse(xml, expected) }
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
