import type { FastifyRequest } from 'fastify'
import { addressSubject } from '../../domain/access/address-subject.ts'
import { invalid, unavailable } from '../../domain/errors.ts'
import { lengthOf } from './unread-bodies.ts'

const mebibyte = 1_048_576
/** Node reads about as much of a body before anything asks for it. */
const freeBytes = 64 * 1_024

export type BodyShares = {
  /**
   * Takes a share as large as the body, and at most `most`, before any of it is read: its sender is held up meanwhile,
   * until the time of the body is over (api/http/body-timeout.ts). A chunked body says no length and takes `most`.
   */
  take(request: FastifyRequest, payload: { destroyed: boolean }, most: number): Promise<void>
  /** Gives back the share of a request, if it has one. */
  leave(request: FastifyRequest): void
}

type Share = { address: string; bytes: number }
type Waiting = Share & { begin: () => void }

/**
 * The memory of bodies that are received before anything about their sender is proven: without a bound, an address
 * that sends all but the last byte of each could hold gigabytes. What fits goes first, so that a small body does not
 * wait for a large one. The second half is for addresses that have nothing: a few cannot take all of it.
 */
export function createBodyShares({
  inAllBytes = 64 * mebibyte,
  ofAddressBytes = 16 * mebibyte,
  ofAddressWaiting = 40,
  waiting = 1_000,
} = {}): BodyShares {
  const taken = countBytes({ inAllBytes, ofAddressBytes })
  const held = new WeakMap<FastifyRequest, Share>()
  let line: Waiting[] = []

  const beginThoseThatFit = (): void => {
    line = line.filter((one) => {
      if (!taken.hasRoomFor(one)) return true
      taken.add(one.address, one.bytes)
      one.begin()
      return false
    })
  }
  const leave = (request: FastifyRequest): void => {
    const share = held.get(request)
    if (!share) return
    held.delete(request)
    taken.add(share.address, -share.bytes)
    beginThoseThatFit()
  }

  return {
    async take(request, payload, most) {
      const bytes = Math.min(lengthOf(request.headers), most)
      if (bytes <= freeBytes) return
      const address = addressSubject(request.ip)
      if (!taken.hasRoomFor({ address, bytes })) {
        const before = line.filter((one) => one.address === address).length
        if (before >= ofAddressWaiting || line.length >= waiting) throw busy()
      }
      await new Promise<void>((resolve) => {
        const begin = () => {
          held.set(request, { address, bytes })
          resolve()
        }
        line.push({ address, bytes, begin })
        beginThoseThatFit()
      })
      if (!payload.destroyed) return
      // Its sender has left. No event of the body would follow, so a parser would wait for ever.
      leave(request)
      throw incomplete()
    },
    leave,
  }
}

function countBytes(limits: { inAllBytes: number; ofAddressBytes: number }) {
  const bytesOf = new Map<string, number>()
  let inAll = 0
  return {
    hasRoomFor({ address, bytes }: Share): boolean {
      const own = bytesOf.get(address) ?? 0
      const mostInAll = own === 0 ? limits.inAllBytes : limits.inAllBytes / 2
      return own + bytes <= limits.ofAddressBytes && inAll + bytes <= mostInAll
    },
    add(address: string, bytes: number): void {
      inAll += bytes
      const own = (bytesOf.get(address) ?? 0) + bytes
      if (own > 0) bytesOf.set(address, own)
      else bytesOf.delete(address)
    },
  }
}

/** Those of this process: of webhooks (api/git/receive-body.ts) and of SAML (api/saml/saml-forms.ts). */
export const bodyShares = createBodyShares()

const busy = () =>
  unavailable('busy', 'Too many large bodies are being received. Send it again in a minute.')

const incomplete = () =>
  invalid('The request ended before its body had arrived.', undefined, 'incomplete_body')
