import type { FastifyReply } from 'fastify'

/** `Key` names the organization, or what stands for it where it is not known. */
export type Places<Key = number> = {
  /** Takes a place until the request is answered or its client has left. False if none is free. */
  take(reply: FastifyReply, organizationId: Key): boolean
  /**
   * Runs `work` in a place, which it has until its end, also when its client has left: otherwise a client that
   * disconnects and asks again has work of any number under way. Undefined if no place is free.
   */
  run<T>(organizationId: Key, work: () => Promise<T>): Promise<T> | undefined
}

/**
 * Places for costly requests in one process. The second half of them is for organizations that have
 * none: a few organizations cannot fill all of them.
 */
export function createPlaces<Key = number>({
  ofOrganization,
  atOnce = Infinity,
}: {
  ofOrganization: number
  atOnce?: number
}): Places<Key> {
  const counts = new Map<Key, number>()
  let taken = 0

  const isFree = (organizationId: Key): boolean => {
    const own = counts.get(organizationId) ?? 0
    return own < ofOrganization && taken < (own === 0 ? atOnce : atOnce / 2)
  }
  /** Returns the function that frees the place. */
  const enter = (organizationId: Key): (() => void) => {
    counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1)
    taken += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      taken -= 1
      const left = (counts.get(organizationId) ?? 1) - 1
      if (left > 0) counts.set(organizationId, left)
      else counts.delete(organizationId)
    }
  }

  return {
    take({ raw }, organizationId) {
      if (!isFree(organizationId)) return false
      // Its client has left: no event would free the place.
      if (raw.destroyed) return true
      const leave = enter(organizationId)
      // The first for a client who has all, the second for one who went away.
      raw.once('finish', leave).once('close', leave)
      return true
    },
    run(organizationId, work) {
      return isFree(organizationId) ? work().finally(enter(organizationId)) : undefined
    },
  }
}
