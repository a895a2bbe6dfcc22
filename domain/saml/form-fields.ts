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
 * Splits a query or form by exact names. Parameter confusion is refused: a name that comes
 * twice, or one that is itself only once it is percent-decoded, would let what is verified be
 * something else than what is read. Other names are none of ours.
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

/** A message has six; half a megabyte of others would be 28 ms of CPU. */
const maxFields = 100

/** As a form means it: `+` is a space. */
export function decodeField(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch (error) {
    throw new SamlRefusal('parameter_malformed', { cause: error })
  }
}

/** Base64 in a field: some senders leave its `+` as it is. */
export function decodeBase64Field(raw: string): string {
  return decodeField(raw.replaceAll('+', '%2B'))
}
