import { AppError } from '../../domain/errors.ts'
import { AnswerTooLarge, CloudFault } from './cloud-fault.ts'

/**
 * What our own outgoing calls, or the organization's issuer, threw inside of a client library's error.
 * Undefined where the cloud itself answered. An address that is not allowed stays the AppError that it is.
 */
export function outboundFault(cloud: string, error: unknown): CloudFault | AppError | undefined {
  const found = innerFault(error)
  if (found instanceof AppError && found.code === tooLarge) return new AnswerTooLarge(cloud)
  if (!found || found instanceof CloudFault || found.fault === 'invalid') return found
  return new CloudFault('unreachable', `${cloud} cannot be reached. ${found.message}.`)
}

/** The code of what outgoing calls throw for an answer over its `maxBytes`. */
export const tooLarge = 'response_too_large'

function innerFault(error: unknown): CloudFault | AppError | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof AppError || at instanceof CloudFault) return at
  return undefined
}
