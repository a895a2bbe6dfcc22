/**
 * A place of this very site to go to after a sign-in, or undefined. Stops open redirects:
 * `//evil.example`, `/\evil.example`, tabs and line breaks that a browser drops, dot segments
 * that leave one of these (`/.//evil.example`), and whatever else parses to another origin.
 */
export function safeTarget(text: string | undefined, origin: string): string | undefined {
  if (text === undefined || text.length > maxLength) return undefined
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\')) return undefined
  if (!URL.canParse(text, origin)) return undefined
  const url = new URL(text, origin)
  // The API answers with JSON and the sign-in would go round in circles.
  if (url.origin !== new URL(origin).origin || /^\/(api|login)(\/|$)/.test(url.pathname))
    return undefined
  // Without its dot segments the path may begin like the name of a host.
  if (url.pathname.startsWith('//')) return undefined
  return `${url.pathname}${url.search}${url.hash}`
}

const maxLength = 1_000
