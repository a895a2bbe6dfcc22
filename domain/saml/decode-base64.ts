import { SamlRefusal } from './saml-refusal.ts'

const alphabet = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Strict base64 (RFC 4648), with line breaks and nothing else between. Node's own decoder skips
 * unknown characters, so two different texts would decode to one message.
 */
export function decodeBase64(text: string): Buffer {
  const joined = text.replace(/[\r\n]/g, '')
  if (joined === '' || !alphabet.test(joined)) throw new SamlRefusal('bad_base64')
  return Buffer.from(joined, 'base64')
}
