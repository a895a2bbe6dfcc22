import { decodeBase64 } from './decode-base64.ts'
import { verifyEnveloped } from './enveloped-signature.ts'
import { decodeBase64Field, decodeField, samlFields } from './form-fields.ts'
import { decodeXml, parseXml } from './parse-xml.ts'
import { readLogoutMessage, type LogoutMessage } from './read-logout-message.ts'
import {
  kindOf,
  maxLogoutBytes,
  readRedirect,
  readRedirectContent,
  verifyRedirect,
  type FieldsFrom,
} from './redirect-binding.ts'
import { SamlRefusal } from './saml-refusal.ts'
import { namespaces } from './xml-elements.ts'

export type ReceivedMessage = {
  /** The unverified content. Only good for finding out who could have signed it. */
  claimed: LogoutMessage
  relayState: string | undefined
  /** The verified content, and the certificate that verified it. */
  verify(certificates: readonly string[]): { message: LogoutMessage; certificate: string }
}

const maxRelayStateLength = 2_048

/**
 * For a thousand session indexes, a signature and the rest. Anybody may send a logout message, which is read before its
 * signature can be verified: half a megabyte of elements held up everybody's requests for 0.1 s each time.
 */
const maxLogoutElements = 1_500

/**
 * Reads a logout message of either binding, unverified. A form with `SigAlg` or `Signature` is read
 * as one of the Redirect binding, whatever the method.
 */
export function receiveLogoutMessage(method: 'GET' | 'POST', text: string): ReceivedMessage {
  const fields = samlFields(text)
  const isRedirect = method === 'GET' || fields.has('SigAlg') || fields.has('Signature')
  const received = isRedirect
    ? fromRedirect(text, method === 'GET' ? 'query' : 'form')
    : fromPost(fields)
  if ((received.relayState?.length ?? 0) > maxRelayStateLength)
    throw new SamlRefusal('relay_state_too_long')
  return received
}

function fromRedirect(text: string, from: FieldsFrom): ReceivedMessage {
  const read = readRedirectContent(text)
  const root = parseXml(read.xml, maxLogoutElements)
  // SAML bindings 3.4.4.1: the signature is in the query alone.
  if (root.getElementsByTagNameNS(namespaces.signature, 'Signature').length > 0)
    throw new SamlRefusal('signature_structure')
  const message = readLogoutMessage(root, read.kind)
  return {
    claimed: message,
    relayState: read.relayState,
    verify(certificates) {
      // Only checked here, because the administrator of the organization should see a missing or SHA-1 signature.
      const certificate = verifyRedirect(readRedirect(text, from), certificates)
      if (certificate === undefined) throw new SamlRefusal('signature_invalid')
      return { message, certificate }
    },
  }
}

function fromPost(fields: ReadonlyMap<string, string>): ReceivedMessage {
  const kind = kindOf(fields)
  const octets = decodeBase64(decodeBase64Field(fields.get(kind) ?? ''))
  if (octets.length > maxLogoutBytes) throw new SamlRefusal('message_too_large')
  const xml = decodeXml(octets)
  const relayState = fields.get('RelayState')
  return {
    claimed: readLogoutMessage(parseXml(xml, maxLogoutElements), kind),
    relayState: relayState === undefined ? undefined : decodeField(relayState),
    verify(certificates) {
      const { root, certificate } = verifyEnveloped(xml, certificates)
      return { message: readLogoutMessage(root, kind), certificate }
    },
  }
}
