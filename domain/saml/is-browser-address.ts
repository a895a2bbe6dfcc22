/**
 * Whether an address is one that identity providers send browsers to: a person looks at the
 * answer, so it is never JSON, whatever is wrong (§4.1, decisions §2a).
 */
export const isBrowserAddress = (url: string): boolean =>
  /^\/api\/auth\/saml\/(acs|slo|slo\/request|login\/request)(\?|$)/.test(url)
