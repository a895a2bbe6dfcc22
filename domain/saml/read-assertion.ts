import { SamlRefusal } from './saml-refusal.ts'
import {
  attribute,
  childElements,
  childrenNamed,
  isNamed,
  onlyChild,
  textOf,
} from './xml-elements.ts'

export type SamlAttribute = { name: string; friendlyName: string | undefined; values: string[] }

export type Confirmation = {
  recipient: string | undefined
  inResponseTo: string | undefined
  notBefore: Date | undefined
  notOnOrAfter: Date | undefined
}

export type Assertion = {
  id: string
  issuer: string
  issuedAt: Date
  nameId: {
    value: string
    format: string | null
    nameQualifier: string | null
    spNameQualifier: string | null
  }
  /** Confirmations of the bearer method; others are ignored. */
  confirmations: Confirmation[]
  conditions: { notBefore: Date | undefined; notOnOrAfter: Date | undefined; audiences: string[][] }
  sessionIndex: string | null
  sessionNotOnOrAfter: Date | undefined
  attributes: SamlAttribute[]
}

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const maxIdLength = 256
const maxNameLength = 1_024

/**
 * Reads an assertion from the verified octets alone (SAML core 2.3). Anything that is duplicated or does
 * not match the schema is refused.
 */
export function readAssertion(root: Element): Assertion {
  if (!isNamed(root, 'assertion', 'Assertion')) throw new SamlRefusal('assertion_missing')
  if (attribute(root, 'Version') !== '2.0') throw new SamlRefusal('version')
  return {
    id: bounded(attribute(root, 'ID'), 'assertion_id', maxIdLength),
    issuer: bounded(textOf(need(root, 'Issuer')), 'issuer', maxNameLength),
    issuedAt: needTime(attribute(root, 'IssueInstant'), 'issue_instant'),
    ...readSubject(need(root, 'Subject')),
    conditions: readConditions(need(root, 'Conditions')),
    ...readStatement(root),
    attributes: childrenNamed(root, 'assertion', 'AttributeStatement').flatMap(readAttributes),
  }
}

function readSubject(subject: Element): Pick<Assertion, 'nameId' | 'confirmations'> {
  const nameId = onlyChild(subject, 'assertion', 'NameID')
  if (!nameId) throw new SamlRefusal('name_id_missing')
  return {
    nameId: {
      value: bounded(textOf(nameId), 'name_id', maxNameLength),
      format: attribute(nameId, 'Format') ?? null,
      nameQualifier: attribute(nameId, 'NameQualifier') ?? null,
      spNameQualifier: attribute(nameId, 'SPNameQualifier') ?? null,
    },
    confirmations: childrenNamed(subject, 'assertion', 'SubjectConfirmation')
      .filter((confirmation) => attribute(confirmation, 'Method') === bearer)
      .map((confirmation) => {
        const data = onlyChild(confirmation, 'assertion', 'SubjectConfirmationData')
        const said = (name: string) => data && attribute(data, name)
        return {
          recipient: said('Recipient'),
          inResponseTo: said('InResponseTo'),
          notBefore: readTime(said('NotBefore'), 'confirmation_time'),
          notOnOrAfter: readTime(said('NotOnOrAfter'), 'confirmation_time'),
        }
      }),
  }
}

const knownConditions = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

function readConditions(conditions: Element): Assertion['conditions'] {
  // An unknown condition makes the assertion's validity indeterminate (SAML core 2.5.1.1).
  for (const condition of childElements(conditions))
    if (!knownConditions.some((name) => isNamed(condition, 'assertion', name)))
      throw new SamlRefusal('condition_unknown')
  return {
    notBefore: readTime(attribute(conditions, 'NotBefore'), 'condition_time'),
    notOnOrAfter: readTime(attribute(conditions, 'NotOnOrAfter'), 'condition_time'),
    audiences: childrenNamed(conditions, 'assertion', 'AudienceRestriction').map((restriction) =>
      childrenNamed(restriction, 'assertion', 'Audience').map(textOf),
    ),
  }
}

function readStatement(root: Element): Pick<Assertion, 'sessionIndex' | 'sessionNotOnOrAfter'> {
  const statements = childrenNamed(root, 'assertion', 'AuthnStatement')
  if (statements.length === 0) throw new SamlRefusal('authn_statement_missing')
  if (statements.length > 1) throw new SamlRefusal('authn_statement_repeated')
  const said = (name: string) => statements[0] && attribute(statements[0], name)
  const index = said('SessionIndex')
  return {
    sessionIndex: index === undefined ? null : bounded(index, 'session_index', maxNameLength),
    sessionNotOnOrAfter: readTime(said('SessionNotOnOrAfter'), 'session_time'),
  }
}

function readAttributes(statement: Element): SamlAttribute[] {
  return childrenNamed(statement, 'assertion', 'Attribute').map((element) => ({
    name: attribute(element, 'Name') ?? '',
    friendlyName: attribute(element, 'FriendlyName'),
    values: childrenNamed(element, 'assertion', 'AttributeValue')
      // A value made of elements is no text; joining its parts would not be what was mapped.
      .filter((value) => childElements(value).length === 0)
      .map(textOf)
      .filter((value) => value !== ''),
  }))
}

function need(parent: Element, name: string): Element {
  const found = onlyChild(parent, 'assertion', name)
  if (!found) throw new SamlRefusal(`${snake(name)}_missing`)
  return found
}

const snake = (name: string): string => name.replaceAll(/(?!^)([A-Z])/g, '_$1').toLowerCase()

function bounded(value: string | undefined, name: string, length: number): string {
  if (!value) throw new SamlRefusal(`${name}_missing`)
  if (value.length > length) throw new SamlRefusal(`${name}_too_long`)
  return value
}

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]00:00)?$/

/** SAML times are UTC (SAML core 1.3.3); ambiguous ones are refused. */
export function readTime(value: string | undefined, reason: string): Date | undefined {
  if (value === undefined) return undefined
  if (!utc.test(value)) throw new SamlRefusal(`${reason}_malformed`)
  const time = new Date(`${value.slice(0, 19)}Z`)
  if (Number.isNaN(time.getTime())) throw new SamlRefusal(`${reason}_malformed`)
  return time
}

function needTime(value: string | undefined, reason: string): Date {
  const time = readTime(value, reason)
  if (!time) throw new SamlRefusal(`${reason}_missing`)
  return time
}
