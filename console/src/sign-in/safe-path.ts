/**
 * Only a path of this site: `next` is in the URL, so an attacker can set it (open redirect). Browsers drop tabs and line
 * breaks from an address and read a backslash as a slash, so that `/<tab>/host` is `//host`, another site.
 */
export function safePath(next: string | undefined): string {
  // Not back to the sign-in, which would redirect without end.
  if (!next || !/^\/(?![/\\]|login\b)[^\\\p{Cc}]*$/u.test(next)) return '/'
  const base = 'https://this.invalid'
  if (!URL.canParse(next, base)) return '/'
  const { origin, pathname } = new URL(next, base)
  // Without its dot segments the path may begin with the name of a host.
  return origin !== base || pathname.startsWith('//') ? '/' : next
}
