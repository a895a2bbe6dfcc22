/** Only a path of this site: `next` is in the URL, so an attacker can set it (open redirect). */
export const safePath = (next: string | undefined): string =>
  // Not back to the sign-in, which would redirect without end.
  next && /^\/(?![/\\]|login\b)/.test(next) ? next : '/'
