import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { addressSubject } from '../../domain/access/address-subject.ts'
import { AppError } from '../../domain/errors.ts'
import { createTurns } from '../../gateways/runner/turns.ts'
import { bodyShares } from '../http/body-shares.ts'
import { lengthOf } from '../http/unread-bodies.ts'

/** GitHub sends up to 25 MB ("Webhook events and payloads"), and nothing of what is larger. */
export const maxDeliveryBytes = 25 * 1_048_576
/** Most deliveries are smaller by far. A larger one needs one of a few places before the rest of it is received. */
const usualBytes = 5 * 1_048_576

export type BodyReceiver = {
  /** The bytes of a delivery, in the pieces in which they arrive. */
  receive(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer[]>
  /** Frees the share and the place of a request that is over, if it has them. */
  leave(request: FastifyRequest): void
}

/**
 * A body is received before its signature can be verified, so its sender may be anybody. One of up to 5 MiB takes a
 * share of what such bodies may have (api/http/body-shares.ts), a larger one a place.
 */
export function createBodyReceiver(shares = bodyShares): BodyReceiver {
  const takeTurns = createLargeTurns()
  const held = new WeakMap<FastifyRequest, () => void>()
  const takePlace = async (request: FastifyRequest): Promise<void> => {
    held.set(request, await takeTurns(request))
    // Its place counts for all of it.
    shares.leave(request)
  }

  return {
    async receive(request, payload) {
      const told = lengthOf(request.headers)
      if (told !== Infinity && told > maxDeliveryBytes) throw tooLarge()
      const pieces: Buffer[] = []
      let bytes = 0
      try {
        // A body that says that it is large takes no share, as it would hold it while it waits for its place.
        if (told !== Infinity && told > usualBytes) await takePlace(request)
        else await shares.take(request, payload, usualBytes)
        // Destroyed with the loop, the connection could not be answered any more.
        for await (const piece of payload.iterator({ destroyOnReturn: false })) {
          // No encoding is set on the stream, so its pieces are buffers.
          pieces.push(piece as Buffer)
          bytes += (piece as Buffer).length
          if (bytes > maxDeliveryBytes) throw tooLarge()
          // A chunked one says no length. Its sender is held up meanwhile.
          if (bytes > usualBytes && !held.has(request)) await takePlace(request)
        }
      } catch (error) {
        payload.resume()
        throw error
      }
      return pieces
    },

    leave(request) {
      shares.leave(request)
      held.get(request)?.()
      held.delete(request)
    },
  }
}

/**
 * All large bodies of a process together take 100 MiB. Those of one connection and address come one after the other,
 * and an address has half of the places: a host sends the deliveries of many organizations from a few addresses.
 */
function createLargeTurns(): (request: FastifyRequest) => Promise<() => void> {
  const busy = 'Too many large deliveries are being received. Send it again in a minute.'
  const shares = { ofOrganization: 1, waiting: 8, busy }
  const ofConnection = createTurns<string>({ ...shares, atOnce: Infinity })
  const ofAddress = createTurns<string>({ atOnce: 4, ofOrganization: 2, waiting: 40, busy })
  return async ({ ip, params }) => {
    // The ids of the path are checked once the body was received. Until then this may be any text, and its sender
    // anybody: who is at another address does not hold up a connection.
    const { id = '' } = params as { id?: string }
    const address = addressSubject(ip)
    const leaveConnection = await ofConnection.take(`${address} ${id}`)
    try {
      const leaveAddress = await ofAddress.take(address)
      return () => {
        leaveAddress()
        leaveConnection()
      }
    } catch (error) {
      leaveConnection()
      throw error
    }
  }
}

const tooLarge = () =>
  new AppError(
    'too_large',
    `The body is larger than the ${maxDeliveryBytes / 1_048_576} MiB that a delivery may have.`,
    { code: 'body_too_large' },
  )
