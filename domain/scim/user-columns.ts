import { isDeepStrictEqual } from 'node:util'
import { derivedName } from './derived-name.ts'
import type { Document } from './read-document.ts'
import { textOrNull, type Element, type Value } from './read-value.ts'
import { refusal } from './refusals.ts'

/**
 * How a person is stored. `profile` has what has no column. A missing key is derived from the columns when
 * the person is shown; a removed one is there, and empty.
 */
export type UserColumns = {
  userName: string | null
  externalId: string | null
  email: string | null
  name: string
  active: boolean
  profile: Record<string, unknown>
}

/** The person as an identity provider sees them: derived attributes filled in, removed ones left out. */
export function documentOf(columns: UserColumns, publicId: string): Document {
  const { userName, externalId, email, name, active, profile } = columns
  const {
    displayName,
    name: parts,
    emails,
    ...rest
  } = profile as Record<string, Value | undefined | null>
  const document: Document = {
    userName: userName ?? email ?? publicId,
    ...(externalId !== null && { externalId }),
    name: parts ?? derivedName(name || email || userName || publicId),
    ...(displayName === undefined && name !== '' && { displayName: name }),
    active,
    emails: emails ?? derivedEmails(email),
    ...(rest as Document),
  }
  for (const key of ['name', 'emails'])
    if (Object.keys(document[key] ?? {}).length === 0) delete document[key]
  return document
}

const derivedEmails = (email: string | null): Element[] =>
  email === null ? [] : [{ value: email, type: 'work', primary: true }]

/** For a new or replaced person: a missing name and missing e-mails are derived. */
export function columnsOfNew(document: Document): UserColumns {
  const { userName, externalId, displayName, active = true, name, emails, ...profile } = document
  if (typeof userName !== 'string')
    throw refusal('invalidValue', 'userName is required, and not empty.')
  const given = name as Element | undefined
  const shown = textOrNull(displayName) ?? formatted(given) ?? ''
  return {
    userName,
    externalId: textOrNull(externalId),
    email: addressOf(emails as Element[] | undefined, userName),
    name: shown,
    active: active === true,
    profile: {
      ...profile,
      ...(given && { name: { ...derivedName(shown || userName), ...given } }),
      ...(emails !== undefined && { emails }),
    },
  }
}

/** The result of a PATCH. Attributes that it did not touch do not change, derived or not. */
export function columnsAfter(before: UserColumns, was: Document, now: Document): UserColumns {
  const same = (key: string) => isDeepStrictEqual(was[key], now[key])
  const { userName, externalId, displayName, active, name, emails, ...rest } = now
  const profile: Record<string, unknown> = { ...rest }
  const keep = (key: string) => {
    if (before.profile[key] !== undefined) profile[key] = before.profile[key]
  }
  if (same('name')) keep('name')
  else profile['name'] = name ?? {}
  if (same('emails')) keep('emails')
  else profile['emails'] = emails ?? []
  if (same('displayName')) keep('displayName')
  else if (displayName === undefined) profile['displayName'] = null
  const shown = textOrNull(displayName) ?? formatted(name as Element | undefined) ?? ''
  const text = textOrNull(userName) ?? ''
  return {
    userName: same('userName') ? before.userName : text,
    externalId: textOrNull(externalId),
    email: emailAfter(before, { same, now, text }),
    name: same('displayName') && same('name') ? before.name : shown,
    active: active === true,
    profile,
  }
}

function emailAfter(
  { email, profile }: UserColumns,
  { same, now, text }: { same: (key: string) => boolean; now: Document; text: string },
): string | null {
  if (!same('emails')) return addressOf(now['emails'] as Element[] | undefined, text)
  const { emails } = profile
  const hasOwn = Array.isArray(emails) && emails.length > 0
  // A user name that is an address is the e-mail of a person without another.
  return same('userName') || hasOwn || !isAddress(text) ? email : text
}

/** The primary e-mail, else the first, else a user name that is an address, else none. */
function addressOf(emails: Element[] | undefined, userName: string): string | null {
  const chosen = emails?.find(({ primary }) => primary === true) ?? emails?.[0]
  const address = chosen?.['value']
  if (typeof address === 'string') {
    if (isAddress(address)) return address
    throw refusal('invalidValue', 'The primary e-mail is not an address.')
  }
  return isAddress(userName) ? userName : null
}

const isAddress = (text: string): boolean => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text)

function formatted(name: Element | undefined): string | undefined {
  if (!name) return undefined
  if (name['formatted'] !== undefined) return String(name['formatted']).replaceAll(/\s+/g, ' ')
  const parts = [name['givenName'], name['familyName']].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(' ') : undefined
}
