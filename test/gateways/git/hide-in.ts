import type { GitRelay } from '../../../gateways/git/git-relay.ts'

/** A line of a run's log, as the runner masks it. */
export const hideIn = (relay: GitRelay, line: string): string =>
  relay.hidden().reduce((text, [from, to]) => text.replaceAll(from, to), line)
