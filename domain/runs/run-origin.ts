/** What starts a run: a member, a Git host, or the service itself. */
export const runOrigins = [
  'person',
  'push',
  'pull_request',
  'schedule',
  'drift',
  'deployment',
] as const
export type RunOrigin = (typeof runOrigins)[number]

/** For "started by …". A person is named instead. */
export const originInWords: Record<Exclude<RunOrigin, 'person'>, string> = {
  push: 'a push',
  pull_request: 'a pull request',
  schedule: 'a schedule',
  drift: 'a drift check',
  deployment: 'a deployment',
}
