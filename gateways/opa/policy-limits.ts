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

export type EvaluationLimits = { timeoutMs: number; memoryBytes: number }

const mebibyte = 1024 * 1024

/**
 * What one policy may use on an input of so many bytes. OPA holds 20 to 35 bytes for each of them and reads 4 MiB a
 * second on a slow processor, so a plan within its own limit has room for every policy.
 */
export function evaluationLimits(inputBytes: number): EvaluationLimits {
  const { timeoutMs, memoryBytes } = policyLimits
  return {
    timeoutMs: Math.max(timeoutMs, Math.ceil(inputBytes / mebibyte) * 1_000),
    memoryBytes: Math.max(memoryBytes, Math.min(maxMemoryBytes, 64 * mebibyte + 48 * inputBytes)),
  }
}

/** Reached by a plan of 84 MiB, which `CC_PLAN_JSON_MAX_MB` can allow. */
const maxMemoryBytes = 4_096 * mebibyte
