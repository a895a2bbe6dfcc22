export type Say = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void

/** The agent's own log: one line of JSON each, on the standard output, for journald or a container's log. */
export const say: Say = (level, message, fields = {}) =>
  void process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, msg: message, ...fields })}\n`,
  )
