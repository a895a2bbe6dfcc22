import { AppError } from '../../domain/errors.ts'
import { CloudFault } from './cloud-fault.ts'

/**
 * What our own outgoing calls, or the organization's issuer, threw inside of a client library's error.
 * Undefined where the cloud itself answered. An address that is not allowed stays the AppError that it is.
 */
export function outboundFault(cloud: string, error: unknown): CloudFault | AppError | undefined {
  const found = innerFault(error)
  if (!found || found instanceof CloudFault || found.fault === 'invalid') return found
  return new CloudFault('unreachable', `${cloud} cannot be reached. ${found.message}.`)
}

function innerFault(error: unknown): CloudFault | AppError | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof AppError || at instanceof CloudFault) return at
  return undefined
}
