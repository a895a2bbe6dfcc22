import { SamlRefusal } from './saml-refusal.ts'

const own = new Set([
  'SAMLRequest',
  'SAMLResponse',
  'RelayState',
  'SigAlg',
  'Signature',
  'SAMLEncoding',
])

/**
 * Splits a query or form by exact names. Refuses parameter confusion: with a name that is duplicated or
 * percent-encoded, an attacker could have one value verified and another one read. Other names are
 * ignored.
 */
export function samlFields(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  const parts = text.split('&', maxFields + 1)
  if (parts.length > maxFields) throw new SamlRefusal('parameter_malformed')
  for (const part of parts) {
    const equals = part.indexOf('=')
    const name = equals < 0 ? part : part.slice(0, equals)
    if (!own.has(name)) {
      if (own.has(decodeField(name).trim())) throw new SamlRefusal('parameter_encoded')
      continue
    }
    if (fields.has(name)) throw new SamlRefusal('parameter_repeated')
    fields.set(name, equals < 0 ? '' : part.slice(equals + 1))
  }
  return fields
}

/** A message has six fields; half a megabyte of others would cost 28 ms of CPU. */
const maxFields = 100

/** Decodes as forms do: `+` is a space. */
export function decodeField(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch (error) {
    throw new SamlRefusal('parameter_malformed', { cause: error })
  }
}

/** For base64: some senders leave `+` unescaped. */
export function decodeBase64Field(raw: string): string {
  return decodeField(raw.replaceAll('+', '%2B'))
}
