import { setTimeout as sleep } from 'node:timers/promises'
import type { AppError } from '../../../domain/errors.ts'
import { isRecord } from '../bills/parse-manifest.ts'
import { AnswerTooLarge, CloudFault } from '../cloud-fault.ts'
import { googleFault } from './google-refusal.ts'

const maxTries = 3

export type RetriedCall = {
  /** The right that the call needs. */
  action: string
  /** What a 404 means. */
  gone: string
  signal: AbortSignal
}

/** Repeats what Google could not answer now (Cloud Storage, "Retry strategy"; the same holds for BigQuery). */
export async function retriedCall<T>(
  { action, gone, signal }: RetriedCall,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await call()
    } catch (error) {
      const fault = faultOf(error, action, gone)
      if (tries === maxTries || !isPassing(error, fault) || signal.aborted) throw fault
      await sleep(500 * 2 ** tries, undefined, { signal })
    }
}

/** What an answer that is no success is thrown as within a call. */
export const refusalOf = (status: number, data: string): Error =>
  Object.assign(new Error(''), { response: { status, data } })

const isPassing = (error: unknown, fault: unknown): boolean => {
  // What a call itself made of an answer is final, unless Google said to wait.
  if (error instanceof CloudFault) return error.kind === 'throttled'
  if (fault instanceof AnswerTooLarge) return false
  const isKind = fault instanceof CloudFault && ['throttled', 'unreachable'].includes(fault.kind)
  const status = statusOf(error)
  return isKind && (status === 0 || status === 429 || status >= 500)
}

const statusOf = (error: unknown): number =>
  error instanceof Error && 'response' in error && isRecord(error.response)
    ? Number(error.response['status'])
    : 0

function faultOf(error: unknown, action: string, gone: string): CloudFault | AppError {
  if (error instanceof CloudFault) return error
  if (statusOf(error) === 404) return new CloudFault('unreachable', gone)
  return googleFault(error, action)
}
