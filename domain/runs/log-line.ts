export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export const isLogLevel = (value: unknown): value is LogLevel =>
  logLevels.some((level) => level === value)
