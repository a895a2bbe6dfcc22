/**
 * A path of this site to go to after a sign-in, or undefined. Stops open redirects: `//evil.example`,
 * `/\evil.example`, tabs and line breaks that browsers drop, dot segments that result in one of these
 * (`/.//evil.example`), and anything else with another origin.
 */
export function safeTarget(text: string | undefined, origin: string): string | undefined {
  if (text === undefined || text.length > maxLength) return undefined
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\')) return undefined
  if (!URL.canParse(text, origin)) return undefined
  const url = new URL(text, origin)
  // The API answers JSON, and the sign-in page would loop.
  if (url.origin !== new URL(origin).origin || /^\/(api|login)(\/|$)/.test(url.pathname))
    return undefined
  // Without its dot segments the path may begin with the name of a host.
  if (url.pathname.startsWith('//')) return undefined
  return `${url.pathname}${url.search}${url.hash}`
}

const maxLength = 1_000
