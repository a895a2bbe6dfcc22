import { createGates, type Gate } from '../../http/gate.ts'

/** Of the pool's connections (`CC_DATABASE_POOL`, 10), so that others find one while a thousand hosts are told. */
export const claimsAtOnce = 3

/**
 * A gate for each organization. The open claims of all of its hosts are woken at once when a deployment begins, after
 * they have waited outside of every other limit.
 */
export const claimGates = (): ((organizationId: number) => Gate) => createGates(claimsAtOnce)
