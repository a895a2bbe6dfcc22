/** What is wrong with an address of an identity provider, or undefined where browsers may be sent to it. */
export function faultOfEndpoint(text: string): string | undefined {
  if (text.length > maxLength) return `is longer than ${maxLength} characters`
  if (!URL.canParse(text)) return 'is not a URL'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'must be https'
  if (url.username || url.password || /^[^/]*\/\/[^/?]*@/.test(text))
    return 'has a user name or password in it'
  if (url.hash) return 'has a fragment, which no server gets'
  // A parser reads `https:host` and `https:\\host` as well, where a browser may read something else.
  if (!/^https:\/\/[^/]/i.test(text)) return 'must begin with https:// and a host'
  // The query of a Redirect goes behind it as it stands; and it is written into pages and headers.
  if (!/^(?:[\w\-.~:/?@!$&()*+,;=[\]]|%[0-9a-f]{2})+$/i.test(text))
    return 'has characters that no URL has, or that markup is made of; write them as %XX, and a host in its ASCII form'
  return undefined
}

const maxLength = 2_000

/** What is wrong with an entity ID: a URI (SAML core 8.3.6), compared as it stands and shown in pages and logs. */
export function faultOfEntityId(text: string): string | undefined {
  if (text.length > 1_024) return 'is longer than 1024 characters'
  if (!/^[\w\-.~:/?#@!$&()*+,;=%[\]{}|]+$/.test(text))
    return 'has white space, quotes, angle brackets or other characters that no URI has'
  return undefined
}
