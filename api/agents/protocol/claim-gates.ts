import { createGate, type Gate } from '../../http/gate.ts'

/** Of the pool's connections (`CC_DATABASE_POOL`, 10), so that others find one while a thousand hosts are told. */
export const claimsAtOnce = 3

/**
 * A gate for each organization. The open claims of all of its hosts are woken at once when a deployment begins, after
 * they have waited outside of every other limit.
 */
export function claimGates(): (organizationId: number) => Gate {
  const gates = new Map<number, { gate: Gate; users: number }>()
  return (organizationId) => async (work) => {
    const entry = gates.get(organizationId) ?? { gate: createGate(claimsAtOnce), users: 0 }
    gates.set(organizationId, entry)
    entry.users += 1
    try {
      return await entry.gate(work)
    } finally {
      entry.users -= 1
      if (entry.users === 0) gates.delete(organizationId)
    }
  }
}
