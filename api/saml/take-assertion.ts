import { timingSafeEqual } from 'node:crypto'
import { noteDenial } from '../../app/audit/note-denial.ts'
import { hashCredential } from '../../domain/access/credentials.ts'
import { assertionFacts } from '../../domain/saml/assertion-facts.ts'
import { decodeBase64 } from '../../domain/saml/decode-base64.ts'
import { findRequestId } from '../../domain/saml/find-request-id.ts'
import { decodeBase64Field, decodeField, samlFields } from '../../domain/saml/form-fields.ts'
import { decodeXml } from '../../domain/saml/parse-xml.ts'
import {
  JudgedRefusal,
  SamlStatusRefusal,
  type ReadResponse,
} from '../../domain/saml/read-response.ts'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { createTurns } from '../../gateways/runner/turns.ts'
import type { ResponseVerifier } from '../../gateways/saml/verify-response.ts'
import { isUniqueViolation } from '../../store/driver/connect.ts'
import { saml, type FoundRequest } from '../../store/platform/saml.ts'
import type { Deps } from '../deps.ts'
import type { Visitor } from '../sign-in/visitor.ts'
import { deniedVisitor, signInDenial, type Refused } from './note-refusal.ts'
import { settleSignIn, type AcsOutcome, type AcsVisit, type Answered } from './settle-sign-in.ts'

/**
 * The assertion consumer service. Finds the request that the response claims to answer before any
 * XML is parsed or any key is used, so that a forged response costs next to nothing.
 */
export async function takeAssertion(
  deps: Deps,
  verifier: ResponseVerifier,
  { form, visit }: { form: string; visit: AcsVisit },
): Promise<AcsOutcome> {
  const fields = samlFields(form)
  const message = fields.get('SAMLResponse')
  if (!message || fields.has('SAMLRequest')) throw new SamlRefusal('no_message')
  const state = fields.get('RelayState')
  const relayState = state === undefined ? undefined : decodeField(state)
  const xml = decodeXml(decodeBase64(decodeBase64Field(message)))

  const requestId = findRequestId(xml)
  const request = requestId && (await saml(deps.store.platform).asked(requestId))
  if (!request || request.kind === 'logout') throw new SamlRefusal('request_unknown')
  const told = { deps, request, visitor: visit.visitor }
  if (request.taken) return refuse(told, { step: 'request', cause: 'replayed' })

  const { idpEntityId, certificates } = request
  if (idpEntityId === null) return refuse(told, { step: 'request', cause: 'not_configured' })
  let read: ReadResponse
  try {
    const { entityId, acsUrl } = spAddresses(visit.origin, request.slug)
    const expected = {
      requestId: request.id,
      idpEntityId,
      audience: entityId,
      acsUrl,
      certificates,
      now: new Date(),
    }
    const leave = verifier.isLarge(xml) ? await largeResponses.take(request.organizationId) : noTurn
    try {
      read = await verifier.verify(xml, expected)
    } finally {
      leave()
    }
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error
    const detail = error instanceof JudgedRefusal ? { detail: error.about } : {}
    const step = error instanceof SamlStatusRefusal ? 'status' : 'verify'
    const refused = { step, cause: error.reason, ...detail }
    if (!(error instanceof SamlStatusRefusal)) return refuse(told, refused)
    await note(told, refused)
    return { kind: 'failed' }
  }
  return settle(deps, { request, read, relayState }, visit)
}

/** In one process: the responses of one organization cannot keep everybody else's out of the thread. */
const largeResponses = createTurns({
  atOnce: 32,
  ofOrganization: 4,
  waiting: 28,
  busy: 'Too many sign-ins at once. Try again in a moment.',
})
const noTurn = () => undefined

type Told = { deps: Deps; request: FoundRequest; visitor: Visitor }

async function note({ deps, request, visitor }: Told, refused: Refused): Promise<void> {
  const { organizationId, kind, id } = request
  const attempt = { organizationId, kind, requestId: id }
  const denial = signInDenial({ attempt, visitor }, refused)
  await noteDenial(deps.store, deniedVisitor(organizationId, visitor), denial)
}

async function refuse(told: Told, refused: Refused): Promise<never> {
  await note(told, refused)
  throw new SamlRefusal(refused.cause)
}

/** All changes of a response are one transaction, so that concurrent copies of it open one session. */
async function settle(deps: Deps, answered: Answered, visit: AcsVisit): Promise<AcsOutcome> {
  const { request, read } = answered
  const csrf = faultOfBrowser(request, visit)
  for (let tries = 1; ; tries += 1)
    try {
      const outcome = await deps.store.tenant(request.organizationId, async (tenant) =>
        settleSignIn(tenant, { ...answered, csrf }, visit),
      )
      if (outcome.kind === 'refused') throw new SamlRefusal(outcome.cause)
      if (outcome.kind !== 'replayed') return outcome
      const told = { deps, request, visitor: visit.visitor }
      return await refuse(told, {
        step: 'replay',
        cause: 'replayed',
        detail: assertionFacts(read.assertion),
      })
    } catch (error) {
      // A concurrent request created this person; the next try finds them.
      if (tries > 3 || !isUniqueViolation(error)) throw error
    }
}

/**
 * Login CSRF: an attacker who makes a browser post the attacker's own assertion would have the
 * victim work in the attacker's account. The browser that asked has the request's cookie. A program
 * that is no browser has no ambient session to steal.
 */
function faultOfBrowser({ id, browserHash }: FoundRequest, visit: AcsVisit): string | undefined {
  const cookie = visit.browserCookie(id)
  if (cookie === undefined) return visit.fromBrowser ? 'browser_cookie_missing' : undefined
  const hash = hashCredential(cookie)
  const same = browserHash?.length === hash.length && timingSafeEqual(hash, browserHash)
  return same ? undefined : 'browser_cookie_mismatch'
}
