import { connect, type Socket } from 'node:net'
import { unavailable } from '../../domain/errors.ts'
import type { Address } from './look-up-name.ts'

/** Connects to the first of these checked addresses that accepts, within `timeoutMs` in all. */
export async function connectTarget(
  addresses: readonly Address[],
  options: { port: number; timeoutMs: number },
): Promise<Socket> {
  const endsAt = performance.now() + options.timeoutMs
  let last: unknown
  for (const [index, { address }] of addresses.entries()) {
    const left = endsAt - performance.now()
    if (left <= 0) break
    // Leaves time for the other addresses if one does not answer.
    const share = Math.max(1, left / (addresses.length - index))
    try {
      return await connectOnce({ host: address, port: options.port }, share)
    } catch (error) {
      last = error
    }
  }
  throw unavailable('connection_failed', 'The host could not be reached', last)
}

function connectOnce(to: { host: string; port: number }, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // `host` is an IP address here, so nothing is looked up.
    const socket = connect(to)
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new Error('connect timed out')), timeoutMs)
    socket.once('error', fail)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}
