import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { addressSubject } from '../../domain/access/address-subject.ts'
import { AppError } from '../../domain/errors.ts'
import { createTurns } from '../../gateways/runner/turns.ts'

/** GitHub sends up to 25 MB ("Webhook events and payloads"), and nothing of what is larger. */
export const maxDeliveryBytes = 25 * 1_048_576
/** Most deliveries are smaller by far. A larger one needs one of a few places before the rest of it is received. */
const usualBytes = 5 * 1_048_576

export type BodyReceiver = {
  /** The bytes of a delivery, in the pieces in which they arrive. */
  receive(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer[]>
  /** Frees the place of a request that is over, if it has one. */
  leave(request: FastifyRequest): void
}

/**
 * A body is received before its signature can be verified, so its sender may be anybody. All large ones of a process
 * together take 100 MiB. Those of one connection come one after the other, and an address has half of the places:
 * a host sends the deliveries of many organizations from a few addresses.
 */
export function createBodyReceiver(): BodyReceiver {
  const busy = 'Too many large deliveries are being received. Send it again in a minute.'
  const shares = { ofOrganization: 1, waiting: 8, busy }
  const ofConnection = createTurns<string>({ ...shares, atOnce: Infinity })
  const ofAddress = createTurns<string>({ atOnce: 4, ofOrganization: 2, waiting: 40, busy })
  const held = new WeakMap<FastifyRequest, () => void>()

  const takePlace = async (request: FastifyRequest): Promise<void> => {
    // The ids of the path are checked once the body was received. Until then this may be any text.
    const { id = '' } = request.params as { id?: string }
    const leaveConnection = await ofConnection.take(id)
    try {
      const leaveAddress = await ofAddress.take(addressSubject(request.ip))
      held.set(request, () => {
        leaveAddress()
        leaveConnection()
      })
    } catch (error) {
      leaveConnection()
      throw error
    }
  }

  return {
    async receive(request, payload) {
      if (Number(request.headers['content-length'] ?? 0) > maxDeliveryBytes) throw tooLarge()
      const pieces: Buffer[] = []
      let bytes = 0
      try {
        // Destroyed with the loop, the connection could not be answered any more.
        for await (const piece of payload.iterator({ destroyOnReturn: false })) {
          // No encoding is set on the stream, so its pieces are buffers.
          pieces.push(piece as Buffer)
          bytes += (piece as Buffer).length
          if (bytes > maxDeliveryBytes) throw tooLarge()
          // Its sender is held up meanwhile.
          if (bytes > usualBytes && !held.has(request)) await takePlace(request)
        }
      } catch (error) {
        payload.resume()
        throw error
      }
      return pieces
    },

    leave(request) {
      held.get(request)?.()
      held.delete(request)
    },
  }
}

const tooLarge = () =>
  new AppError(
    'too_large',
    `The body is larger than the ${maxDeliveryBytes / 1_048_576} MiB that a delivery may have.`,
    { code: 'body_too_large' },
  )
