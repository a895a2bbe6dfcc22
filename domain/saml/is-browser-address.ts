/**
 * Whether identity providers send browsers to this address. A person sees the answer, so it is
 * never JSON, whatever is wrong.
 */
export const isBrowserAddress = (url: string): boolean =>
  /^\/api\/auth\/saml\/(acs|slo|slo\/request|login\/request)(\?|$)/.test(url)
