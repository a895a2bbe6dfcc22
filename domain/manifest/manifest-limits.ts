/** What a manifest may have. Each limit keeps the time to read a hostile one to a few milliseconds. */
export const manifestLimits = {
  bytes: 256 * 1024,
  lines: 1_000,
  /** Words, signs and spaces of the text, as the lexer cuts it. */
  tokens: 16_000,
  /** Values, where each use of an alias counts all that it stands for. */
  values: 10_000,
  levels: 20,
  /** Faults of one answer. */
  faults: 100,
} as const
