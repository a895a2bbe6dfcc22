import type { FastifyReply } from 'fastify'

export type Places = {
  /** Takes a place until the request is answered or its client has left. False if none is free. */
  take(reply: FastifyReply, organizationId: number): boolean
}

/**
 * Places for costly requests in one process. The second half of them is for organizations that have
 * none: a few organizations cannot fill all of them.
 */
export function createPlaces({
  ofOrganization,
  atOnce = Infinity,
}: {
  ofOrganization: number
  atOnce?: number
}): Places {
  const counts = new Map<number, number>()
  let taken = 0

  return {
    take({ raw }, organizationId) {
      const own = counts.get(organizationId) ?? 0
      if (own >= ofOrganization || taken >= (own === 0 ? atOnce : atOnce / 2)) return false
      // Its client has left: no event would free the place.
      if (raw.destroyed) return true
      counts.set(organizationId, own + 1)
      taken += 1
      let isOver = false
      const leave = () => {
        if (isOver) return
        isOver = true
        taken -= 1
        const left = (counts.get(organizationId) ?? 1) - 1
        if (left > 0) counts.set(organizationId, left)
        else counts.delete(organizationId)
      }
      // The first for a client who has all, the second for one who went away.
      raw.once('finish', leave).once('close', leave)
      return true
    },
  }
}
