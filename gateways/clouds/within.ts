import { LateAnswer } from './cloud-fault.ts'

/** The caller's signal, or the end of this time. */
export function within(timeoutMs: number, signal: AbortSignal | undefined): AbortSignal {
  const deadline = AbortSignal.timeout(timeoutMs)
  return signal ? AbortSignal.any([signal, deadline]) : deadline
}

/** Ends the wait with the signal. The clients of the clouds do not look at it while they sign in. */
export async function bounded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let late: () => void = () => undefined
  const ended = new Promise<never>((_, reject) => {
    late = () => reject(new LateAnswer())
  })
  if (signal.aborted) late()
  signal.addEventListener('abort', late, { once: true })
  try {
    return await Promise.race([work, ended])
  } finally {
    signal.removeEventListener('abort', late)
  }
}
