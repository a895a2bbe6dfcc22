import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { decodeBase64 } from './decode-base64.ts'
import { decodeBase64Field, decodeField, samlFields } from './form-fields.ts'
import { decodeXml } from './parse-xml.ts'
import { rsaSha256 } from './plain-signature.ts'
import { SamlRefusal } from './saml-refusal.ts'

const deflateEncoding = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'

/** A logout message has a kilobyte or two. A bomb of 389 kB inflates to 300 MB. */
export const maxLogoutBytes = 64 * 1024

export type MessageKind = 'SAMLRequest' | 'SAMLResponse'

export type RedirectContent = {
  kind: MessageKind
  xml: string
  relayState: string | undefined
}

export type RedirectMessage = RedirectContent & {
  /** What the signature may cover, in the order of SAML bindings 3.4.4.1: of a query the octets as they came, and nothing else. */
  signedTexts: string[]
  signature: Buffer
}

/** What carried the fields: a query, or the body of a POST. */
export type FieldsFrom = 'query' | 'form'

/** A real one takes 1 to 2 KiB. */
const maxEncodedLength = 16_384

export type OutgoingMessage = {
  kind: MessageKind
  xml: string
  destination: string
  relayState?: string | undefined
}

/** Reads a query of the Redirect binding, or a form with its fields. Nothing is verified yet. */
export function readRedirect(text: string, from: FieldsFrom = 'query'): RedirectMessage {
  const fields = samlFields(text)
  const content = contentOf(fields)
  const signature = signatureOf(fields)
  const signedTexts = from === 'query' ? [asSent(content, fields)] : spellings(content, fields)
  return { ...content, signedTexts, signature }
}

const asSent = ({ kind }: RedirectContent, fields: ReadonlyMap<string, string>): string =>
  joined(
    [kind, 'RelayState', 'SigAlg'].flatMap((name) => {
      const value = fields.get(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

/**
 * A browser encodes a form's values anew, so the octets that the provider signed do not come
 * along. The signature may be over any usual encoding of the very values that are read: each of
 * them leaves no way to read other values out of the same text. An empty RelayState is as good
 * as none (SAML bindings 3.4.4.1).
 */
function spellings(content: RedirectContent, fields: ReadonlyMap<string, string>): string[] {
  const { kind, relayState } = content
  const message = decodeBase64Field(fields.get(kind) ?? '')
  const states = relayState === '' ? ['', undefined] : [relayState]
  const texts = states.flatMap((state) =>
    encoders.map((encoded) =>
      joined([
        [kind, encoded(message)],
        ...(state === undefined ? [] : [['RelayState', encoded(state)] as const]),
        ['SigAlg', encoded(rsaSha256)],
      ]),
    ),
  )
  return [...new Set([asSent(content, fields), ...texts])]
}

const joined = (fields: ReadonlyArray<readonly [name: string, value: string]>): string =>
  fields.map(([name, value]) => `${name}=${value}`).join('&')

/** The content of a query, signed or not, to find the organization that it concerns. */
export const readRedirectContent = (query: string): RedirectContent => contentOf(samlFields(query))

function contentOf(fields: ReadonlyMap<string, string>): RedirectContent {
  const kind = kindOf(fields)
  // What follows the compressed message is not looked at, and each encoding of it is hashed.
  if ((fields.get(kind) ?? '').length > maxEncodedLength) throw new SamlRefusal('message_too_large')
  const encoding = fields.get('SAMLEncoding')
  if (encoding !== undefined && decodeField(encoding) !== deflateEncoding)
    throw new SamlRefusal('encoding_unknown')
  const relayState = fields.get('RelayState')
  return {
    kind,
    xml: inflate(decodeBase64(decodeBase64Field(fields.get(kind) ?? ''))),
    relayState: relayState === undefined ? undefined : decodeField(relayState),
  }
}

export function kindOf(fields: ReadonlyMap<string, string>): MessageKind {
  const request = fields.has('SAMLRequest')
  if (request === fields.has('SAMLResponse'))
    throw new SamlRefusal(request ? 'two_messages' : 'no_message')
  return request ? 'SAMLRequest' : 'SAMLResponse'
}

function signatureOf(fields: ReadonlyMap<string, string>): Buffer {
  const algorithm = fields.get('SigAlg')
  const signature = fields.get('Signature')
  if (!algorithm || !signature) throw new SamlRefusal('signature_missing')
  // Compared with one value: a list of hashes would let MD5 and SHA-1 in.
  if (decodeField(algorithm) !== rsaSha256) throw new SamlRefusal('signature_algorithm')
  return decodeBase64(decodeBase64Field(signature))
}

function inflate(deflated: Buffer): string {
  try {
    return decodeXml(inflateRawSync(deflated, { maxOutputLength: maxLogoutBytes }))
  } catch (error) {
    if (error instanceof SamlRefusal) throw error
    throw new SamlRefusal('inflate_failed', { cause: error })
  }
}

/** The certificate that verifies the message, if any. */
export function verifyRedirect(
  { signedTexts, signature }: RedirectMessage,
  certificates: readonly string[],
): string | undefined {
  const texts = signedTexts.map((text) => Buffer.from(text))
  return certificates.find((certificate) => {
    const key = createPublicKey(certificate)
    // The algorithm is RSA's; with another kind of key something else would be verified.
    if (key.asymmetricKeyType !== 'rsa') return false
    return texts.some((text) => verify('sha256', text, key, signature))
  })
}

/** The address to send a browser to. The signed text is the sent one, encoded once. */
export function redirectUrl(
  { kind, xml, destination, relayState }: OutgoingMessage,
  privateKey: string,
): string {
  const fields = [
    [kind, deflateRawSync(xml).toString('base64')],
    ...(relayState === undefined ? [] : [['RelayState', relayState]]),
    ['SigAlg', rsaSha256],
  ]
  const text = fields.map(([name = '', value = '']) => `${name}=${encode(value)}`).join('&')
  const signature = sign('sha256', Buffer.from(text), createPrivateKey(privateKey))
  const joint = destination.includes('?') ? '&' : '?'
  return `${destination}${joint}${text}&Signature=${encode(signature.toString('base64'))}`
}

/** Encodes as RFC 3986. A browser changes `'` to %27, which would break the signature. */
const encode = (value: string): string =>
  encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const asForm = (value: string): string => new URLSearchParams([['', value]]).toString().slice(1)
const withSmallHex = (encoded: (value: string) => string) => (value: string) =>
  encoded(value).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

/** Of RFC 3986, of JavaScript and of forms; .NET writes the same with small letters. */
const encoders = [encode, encodeURIComponent, asForm].flatMap((one) => [one, withSmallHex(one)])
