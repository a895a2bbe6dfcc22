import type { ErrorWords } from './error-action.ts'

const broken: ErrorWords = {
  text: 'Something went wrong in the service. Try again.',
  withFacts: true,
}
const outOfDate = 'This page and the service do not fit together. Reload the page and try again.'
const wait = 'Too many requests at once. Wait a moment and try again.'

/** Errors of every page. */
export const generalErrors = {
  internal: broken,
  database_unavailable: 'The database of the service is not available now. Try again in a moment.',
  engine_unavailable:
    'Temporal is not available now, so nothing can be started. Try again in a moment.',
  keyring_unavailable:
    'A key that this needs is missing in the service. Ask the person who operates the service.',
  sandbox_unavailable: 'The service has no sandbox now. Ask the person who operates the service.',
  policy_engine_unavailable: 'Policies cannot be compiled now. Try again in a moment.',
  temporal_ui_unavailable: 'The Temporal UI is not available now.',
  restarting: 'The service restarts. Try again in a moment.',
  timed_out: 'It took too long. Try again.',
  request_timeout: 'The request took too long to arrive. Try again.',
  not_found: 'It does not exist. It was deleted, or it is not in your organization.',
  conflict: 'It changed meanwhile. Reload the page and try again.',
  precondition_failed: 'It changed meanwhile. Reload the page and try again.',
  idempotency_key_reused:
    'This was sent before with other values, and may have been done. Look at the list before you send it again.',
  invalid: { text: 'Something in the form is not valid. Check it and try again.', withFacts: true },
  validation_failed: 'Something in the form is not valid. Check it and try again.',
  bad_request: outOfDate,
  malformed_json: outOfDate,
  malformed_multipart: outOfDate,
  malformed_request: outOfDate,
  unsupported_media_type: outOfDate,
  method_not_allowed: outOfDate,
  not_implemented: outOfDate,
  headers_too_large: 'The request is too large. Clear the cookies of this site and try again.',
  cross_site:
    'The request came from another address. Open the console at its own address and try again.',
  body_too_large: { text: 'It is too large. Send less at once.', withFacts: true },
  too_large: 'It is too large. Send less at once.',
  rate_limited: 'Too many requests. Wait a minute and try again.',
  too_many_at_once: wait,
  too_many_streams: 'Too many logs are open at once. Close another page with a log and try again.',
  busy: 'The service is busy. Try again in a moment.',
  search_too_broad: {
    text: 'The search took too long. Narrow it by another filter.',
    withFacts: true,
  },
  mail_refused:
    'The mail server refuses this mail or its address. Check the address and try again.',
  mail_unavailable: 'The mail server cannot be reached. Try again later.',
} as const satisfies Record<string, ErrorWords>
