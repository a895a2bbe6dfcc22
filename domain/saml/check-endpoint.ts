/** Why browsers may not be sent to this address of an identity provider; undefined if they may. */
export function faultOfEndpoint(text: string): string | undefined {
  if (text.length > maxLength) return `is longer than ${maxLength} characters`
  if (!URL.canParse(text)) return 'is not a URL'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'must be https'
  if (url.username || url.password || /^[^/]*\/\/[^/?]*@/.test(text))
    return 'has a user name or password in it'
  if (url.hash) return 'has a fragment, which no server gets'
  // URL parsers accept `https:host` and `https:\\host` too, which browsers may read differently.
  if (!/^https:\/\/[^/]/i.test(text)) return 'must begin with https:// and a host'
  // The query of the Redirect binding is appended to it, and it is written into pages and headers.
  if (!/^(?:[\w\-.~:/?@!$&()*+,;=[\]]|%[0-9a-f]{2})+$/i.test(text))
    return 'has characters that no URL has, or that markup is made of; write them as %XX, and a host in its ASCII form'
  return undefined
}

const maxLength = 2_000

/** Why a text is no entity ID: a URI (SAML core 8.3.6), compared as it is and shown in pages and logs. */
export function faultOfEntityId(text: string): string | undefined {
  if (text.length > 1_024) return 'is longer than 1024 characters'
  if (!/^[\w\-.~:/?#@!$&()*+,;=%[\]{}|]+$/.test(text))
    return 'has white space, quotes, angle brackets or other characters that no URI has'
  return undefined
}
