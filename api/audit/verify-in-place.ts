import { AppError } from '../../domain/errors.ts'
import type { Deps } from '../deps.ts'
import { createPlaces } from '../http/places.ts'
import type { ChainBody } from './schemas.ts'
import { verifyChain } from './verify-chain.ts'

const places = createPlaces({ ofOrganization: 1, atOnce: 4 })

/** Verifies an organization's hash chain, which reads its whole log: one at a time. */
export async function verifyInPlace(
  deps: Deps,
  organizationId: number,
  gone: () => boolean,
): Promise<ChainBody> {
  const verifying = places.run(organizationId, async () => verifyChain(deps, organizationId, gone))
  if (verifying) return verifying
  throw new AppError(
    'rate_limited',
    'The audit log of your organization is being checked. Try again when that has ended.',
    { code: 'too_many_at_once', retryAfterSeconds: 5 },
  )
}
