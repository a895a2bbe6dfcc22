/** What is wrong with an address of an identity provider, or undefined where browsers may be sent to it. */
export function faultOfEndpoint(text: string): string | undefined {
  if (text.length > maxLength) return `is longer than ${maxLength} characters`
  if (!URL.canParse(text)) return 'is not a URL'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'must be https'
  if (url.username || url.password) return 'has a user name or password in it'
  if (url.hash) return 'has a fragment, which no server gets'
  // The query of a Redirect goes behind it as it stands.
  if (!/^[\x21-\x7e]+$/.test(text)) return 'has characters that no URL has'
  return undefined
}

const maxLength = 2_000
