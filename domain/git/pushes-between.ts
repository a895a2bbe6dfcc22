export type RefChange = { before: string; after: string }

const isNothing = (commit: string): boolean => /^0*$/.test(commit)

/**
 * The pushes from one commit of a branch to another, newest first, out of those that a host lists
 * (newest first too). Null if they do not connect without a gap: then a pusher is unknown. `from` null:
 * since the branch was created.
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
