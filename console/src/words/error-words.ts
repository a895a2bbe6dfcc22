import { accessErrors } from './access.ts'
import { cloudErrors } from './clouds.ts'
import type { ErrorAction, ErrorWords } from './error-action.ts'
import { fieldWords } from './field-words.ts'
import { generalErrors } from './general.ts'
import { gitErrors } from './git.ts'
import { runErrors } from './runs.ts'
import { workspaceErrors } from './workspaces.ts'

/** What the console says about each error code of the API. */
export const errorWords: Readonly<Record<string, ErrorWords>> = {
  ...generalErrors,
  ...accessErrors,
  ...workspaceErrors,
  ...runErrors,
  ...gitErrors,
  ...cloudErrors,
}

/** Codes that no page of the console can meet. They get the sentence of an unknown code. */
export const codesOfMachines: ReadonlySet<string> = new Set([
  // SCIM, whose client is an identity provider.
  'scim',
  'taken',
  // A task of the worker, which runs again by itself.
  'scoring_overtaken',
  'cloud_place_taken',
  // A step of an ingest, which reads the bill again.
  'aliases_changed',
  // Agents, which nobody works with in a browser.
  'agent_protocol',
  'agent_too_old',
  'lease_lost',
  // Steps of a run, whose log says what happened.
  'artifact_canceled',
  'artifact_damaged',
  'artifact_not_packed',
  'artifact_refused',
  'artifact_store_full',
  'artifact_store_unavailable',
  'artifact_too_large',
  'source_branch_gone',
  'cache_canceled',
  'cache_too_large',
  'cache_unusable',
  'source_canceled',
  'source_empty',
  'source_too_large',
  'source_unreachable',
  'source_unreadable',
  'not_described',
  // A delivery of a Git host or a SAML message whose sender left before its end.
  'incomplete_body',
  // The answer to a range, which no page asks for.
  'range_not_satisfiable',
  'cli_config',
  'no_program',
  'no_slot',
  'workbench_closed',
])

const unknown: ErrorWords = { text: 'It did not work. Try again.', withFacts: true }

/** Their detail says which field is wrong and how, which no sentence of its own could. */
const codesOfFields: ReadonlySet<string> = new Set([
  'validation_failed',
  'invalid',
  'git_token_shape',
  'git_host_invalid',
])

export type WordedError = {
  text: string
  items: Array<{ name: string; text: string }>
  action: ErrorAction | undefined
}

type Answered = {
  code: string
  message: string
  details: ReadonlyArray<{ path: string; message: string }>
}

/** An error of the API in the words of the console. */
export function wordsOfError(error: Answered): WordedError {
  const words = errorWords[error.code] ?? unknown
  const { text, withFacts, action }: Exclude<ErrorWords, string> =
    typeof words === 'string' ? { text: words } : words
  const fits = (message: string) => isPlain(message, withFacts === 'names')
  const details = error.details.filter(({ path, message }) => isThing(path) || fits(message))
  const [first] = details
  const ofForm = codesOfFields.has(error.code)
  if (ofForm && first && details.length === 1)
    return { text: `${fieldWords(first.path)}: ${sentence(first.message)}`, items: [], action }
  return {
    text: withFacts && fits(error.message) ? error.message : text,
    items:
      details.length > 1 || (first && isThing(first.path))
        ? details.map(({ path, message }) => ({ name: nameOf(path), text: message }))
        : [],
    action,
  }
}

/** `workspaces/7`: what is in the way, whose message is the name that a person chose. */
const isThing = (path: string): boolean => /^[a-z]+\/\d+$/.test(path)

/** One of the workspaces is a workspace. */
const nameOf = (path: string): string =>
  fieldWords(isThing(path) ? path.replace(/s\/\d+$/, '') : path)

/** snake_case and camelCase: names of the API, or those that a person chose. */
const names = [/\b[a-z0-9]+(_[a-z0-9]+)+\b/, /\b[a-z]+[A-Z]\w*\b/]

/** Paths, query parameters and the like: of the API in any case. */
const apiTexts = [
  /\/api\//,
  /\?\w+=/,
  /\bCC_[A-Z]/,
  /\bIdempotency-Key\b/,
  /must match pattern|is not a field of this request/,
]

/** Whether a sentence of the service has no names of the API. */
export function isPlain(text: string, withNames = false): boolean {
  const own = withoutQuotes(text)
  return ![...apiTexts, ...(withNames ? [] : names)].some((pattern) => pattern.test(own))
}

/** What is quoted is a person's own text, such as the name of a file. */
const withoutQuotes = (text: string): string => text.replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`/g, '')

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
