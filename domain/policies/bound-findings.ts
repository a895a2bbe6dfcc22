import { cutText } from '../infrastructure/cut-text.ts'

export type Finding = { message: string; resource?: string }

/** Limit of a gate's findings as JSON. */
const maxStoredBytes = 16 * 1_024
/** In a list, which has up to 200 runs with two gates each. */
export const maxListedBytes = 2 * 1_024

/**
 * The first findings that fit, with texts of bounded length: an author can make any number of resources
 * with long addresses. A last finding, made by `more`, counts
 * the rest.
 */
export function boundFindings<F extends Finding>(
  findings: readonly F[],
  more: (message: string) => F,
  maxBytes = maxStoredBytes,
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
