import { cutText } from '../infrastructure/cut-text.ts'

type Finding = { message: string; resource?: string }

/** Limit of a gate's findings as JSON: a list shows up to 200 runs with two gates each. */
const maxBytes = 16 * 1_024

/**
 * The first findings that fit, with texts of bounded length: an author can make any number of resources
 * with long addresses, and each page of runs has all findings. A last finding, made by `more`, counts
 * the rest.
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
