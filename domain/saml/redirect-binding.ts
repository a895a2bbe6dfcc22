import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { decodeBase64 } from './decode-base64.ts'
import { decodeBase64Field, decodeField, samlFields } from './form-fields.ts'
import { decodeXml } from './parse-xml.ts'
import { SamlRefusal } from './saml-refusal.ts'

import { rsaSha256 } from './plain-signature.ts'
const deflateEncoding = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'

/** A logout message has a kilobyte or two. A bomb of 389 kB inflates to 300 MB. */
const maxInflatedBytes = 64 * 1024

export type MessageKind = 'SAMLRequest' | 'SAMLResponse'

export type RedirectContent = {
  kind: MessageKind
  xml: string
  relayState: string | undefined
}

export type RedirectMessage = RedirectContent & {
  /** What the signature covers: the octets as they came, in the order of SAML bindings 3.4.4.1. */
  signedText: string
  signature: Buffer
}

export type OutgoingMessage = {
  kind: MessageKind
  xml: string
  destination: string
  relayState?: string | undefined
}

/** Reads a query of the Redirect binding, or a form like one. Verifies nothing yet. */
export function readRedirect(query: string): RedirectMessage {
  const fields = samlFields(query)
  const content = contentOf(fields)
  const { signature, algorithm } = signatureOf(fields)
  const state = fields.get('RelayState')
  const signedText = [
    `${content.kind}=${fields.get(content.kind) ?? ''}`,
    ...(state === undefined ? [] : [`RelayState=${state}`]),
    `SigAlg=${algorithm}`,
  ].join('&')
  return { ...content, signedText, signature }
}

/** The content of a query, signed or not, to find the organization that it concerns. */
export const readRedirectContent = (query: string): RedirectContent => contentOf(samlFields(query))

function contentOf(fields: ReadonlyMap<string, string>): RedirectContent {
  const kind = kindOf(fields)
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

function signatureOf(fields: ReadonlyMap<string, string>) {
  const algorithm = fields.get('SigAlg')
  const signature = fields.get('Signature')
  if (!algorithm || !signature) throw new SamlRefusal('signature_missing')
  // Compared with one value: a list of hashes would let MD5 and SHA-1 in.
  if (decodeField(algorithm) !== rsaSha256) throw new SamlRefusal('signature_algorithm')
  return { algorithm, signature: decodeBase64(decodeBase64Field(signature)) }
}

function inflate(deflated: Buffer): string {
  try {
    return decodeXml(inflateRawSync(deflated, { maxOutputLength: maxInflatedBytes }))
  } catch (error) {
    if (error instanceof SamlRefusal) throw error
    throw new SamlRefusal('inflate_failed', { cause: error })
  }
}

/** The certificate that verifies the message, if any. */
export function verifyRedirect(
  { signedText, signature }: RedirectMessage,
  certificates: readonly string[],
): string | undefined {
  const octets = Buffer.from(signedText)
  return certificates.find((certificate) => {
    const key = createPublicKey(certificate)
    // The algorithm is RSA's; with another kind of key something else would be verified.
    return key.asymmetricKeyType === 'rsa' && verify('sha256', octets, key, signature)
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
