import { cutText } from '../plans/cut-text.ts'

type Finding = { message: string; resource?: string }

/** What a gate's findings take together as JSON: a list shows up to 200 runs of two gates each. */
const maxBytes = 16 * 1_024

/**
 * The first findings, each with texts of bounded length, as many as there is room for: an author
 * makes as many resources with as long addresses as they like, and each page of runs has the
 * findings of all its runs. What is left out is counted in a last finding, which `more` makes.
 */
export function boundFindings<F extends Finding>(
  findings: readonly F[],
  more: (message: string) => F,
): F[] {
  const kept: F[] = []
  let bytes = 0
  for (const [at, finding] of findings.entries()) {
    const { message, resource } = finding
    const cut = {
      ...finding,
      message: cutText(message),
      ...(resource !== undefined && { resource: cutText(resource) }),
    }
    bytes += Buffer.byteLength(JSON.stringify(cut))
    if (bytes > maxBytes && at > 0)
      return [...kept, more(`${findings.length - at} more findings are not shown.`)]
    kept.push(cut)
  }
  return kept
}
