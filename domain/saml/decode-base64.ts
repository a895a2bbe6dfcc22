import { SamlRefusal } from './saml-refusal.ts'

const alphabet = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Base64 as it is written, with line breaks and nothing else between (decisions §2a). Node's
 * own decoder skips what it does not know, so that two texts would be one message.
 */
export function decodeBase64(text: string): Buffer {
  const joined = text.replace(/[\r\n]/g, '')
  if (joined === '' || !alphabet.test(joined)) throw new SamlRefusal('bad_base64')
  return Buffer.from(joined, 'base64')
}
