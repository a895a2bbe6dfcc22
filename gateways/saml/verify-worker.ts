import type { AssertionFacts } from '../../domain/saml/assertion-facts.ts'
import {
  JudgedRefusal,
  readResponse,
  SamlStatusRefusal,
  type ReadResponse,
  type ResponseExpected,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { serveJobs } from '../threads/serve-jobs.ts'
import { readTwice } from './read-twice.ts'

/** `twice`: node-saml has to accept it as well. */
export type Job = { xml: string; expected: ResponseExpected; twice: boolean }
export type Done =
  | { read: ReadResponse }
  | { refused: string; status: boolean; about: AssertionFacts | undefined }
  | { failed: string }

/** The thread that reads large responses: by the same rules, only elsewhere. */
serveJobs(answer)

async function answer({ xml, expected, twice }: Job): Promise<Done> {
  try {
    return { read: twice ? await readTwice(xml, expected) : readResponse(xml, expected) }
  } catch (error) {
    if (error instanceof SamlRefusal)
      return {
        refused: error.reason,
        status: error instanceof SamlStatusRefusal,
        about: error instanceof JudgedRefusal ? error.about : undefined,
      }
    return { failed: error instanceof Error ? error.name : 'unknown' }
  }
}
