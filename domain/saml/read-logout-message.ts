import type { NameId } from './logout-messages.ts'
import { readLogoutStatus, type LogoutOutcome } from './logout-status.ts'
import type { MessageKind } from './redirect-binding.ts'
import { SamlRefusal } from './saml-refusal.ts'
import { attribute, childrenNamed, isNamed, onlyChild, textOf } from './xml-elements.ts'

type Common = {
  id: string
  issuer: string
  destination: string | undefined
  issuedAt: Date
}

export type LogoutRequest = Common & {
  kind: 'SAMLRequest'
  nameId: NameId
  /** Empty: all sessions of the principal. */
  sessionIndexes: string[]
  expiresAt: Date | undefined
}

export type LogoutResponse = Common & {
  kind: 'SAMLResponse'
  inResponseTo: string
  outcome: LogoutOutcome
}

export type LogoutMessage = LogoutRequest | LogoutResponse

const maxSessionIndexes = 1_000
const maxLength = 1_024

/** Reads a logout message (SAML core 3.7). For the POST binding, pass the verified root. */
export function readLogoutMessage(root: Element, kind: MessageKind): LogoutMessage {
  const name = kind === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse'
  if (!isNamed(root, 'protocol', name)) throw new SamlRefusal('message_type')
  if (attribute(root, 'Version') !== '2.0') throw new SamlRefusal('version')
  const issuer = onlyChild(root, 'assertion', 'Issuer')
  const common = {
    id: bounded(attribute(root, 'ID'), 'id'),
    issuer: bounded(issuer && textOf(issuer), 'issuer'),
    destination: attribute(root, 'Destination'),
    issuedAt: time(attribute(root, 'IssueInstant'), 'issue_instant'),
  }
  return kind === 'SAMLRequest' ? readRequest(root, common) : readResponse(root, common)
}

function readRequest(root: Element, common: Common): LogoutRequest {
  // Encrypted names are not supported: providers have no key to encrypt to.
  const nameId = onlyChild(root, 'assertion', 'NameID')
  if (!nameId) throw new SamlRefusal('name_id_missing')
  const indexes = childrenNamed(root, 'protocol', 'SessionIndex')
  if (indexes.length > maxSessionIndexes) throw new SamlRefusal('too_many_session_indexes')
  const end = attribute(root, 'NotOnOrAfter')
  return {
    ...common,
    kind: 'SAMLRequest',
    nameId: {
      value: bounded(textOf(nameId), 'name_id'),
      format: attribute(nameId, 'Format') ?? null,
      nameQualifier: attribute(nameId, 'NameQualifier') ?? null,
      spNameQualifier: attribute(nameId, 'SPNameQualifier') ?? null,
    },
    sessionIndexes: indexes.map((index) => bounded(textOf(index), 'session_index')),
    expiresAt: end === undefined ? undefined : time(end, 'not_on_or_after'),
  }
}

const readResponse = (root: Element, common: Common): LogoutResponse => ({
  ...common,
  kind: 'SAMLResponse',
  inResponseTo: bounded(attribute(root, 'InResponseTo'), 'in_response_to'),
  outcome: readLogoutStatus(root),
})

function bounded(value: string | undefined, what: string): string {
  if (!value || value.length > maxLength) throw new SamlRefusal(`${what}_malformed`)
  return value
}

/** SAML core 1.3.3: times are in UTC, and say so. */
function time(text: string | undefined, what: string): Date {
  const date = new Date(text ?? '')
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text ?? '') || Number.isNaN(date.getTime()))
    throw new SamlRefusal(`${what}_malformed`)
  return date
}
