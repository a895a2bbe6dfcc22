export type RefChange = { before: string; after: string }

const isNothing = (commit: string): boolean => /^0*$/.test(commit)

/**
 * The pushes that led a branch from one commit to another, newest first, out of those that a host
 * tells (newest first too). Null where they do not lead there without a gap: then whoever made the
 * missing one is not known. `from` null: since the branch was made.
 */
export function pushesBetween<P extends RefChange>(
  pushes: readonly P[],
  { from, to }: { from: string | null; to: string },
): P[] | null {
  const found: P[] = []
  let at = to
  if (at === from) return found
  for (const push of pushes) {
    if (push.after !== at) continue
    found.push(push)
    at = push.before
    if (at === from || isNothing(at)) return found
  }
  return null
}
