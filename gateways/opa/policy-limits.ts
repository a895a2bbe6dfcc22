/** What one policy may use, and how much of its messages is kept. */
export const policyLimits = {
  timeoutMs: 10_000,
  /** All policies of a gate together. */
  gateTimeoutMs: 120_000,
  memoryBytes: 512 * 1024 * 1024,
  outputBytes: 16 * 1024 * 1024,
  regoBytes: 128 * 1024,
  messages: 100,
  messageLength: 1_000,
  errors: 20,
} as const
