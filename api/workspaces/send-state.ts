import type { FastifyReply } from 'fastify'
import type { Deps } from '../deps.ts'
import { readStateBytes, type StateAddress } from './read-state.ts'

/** Sends a state as it was written, with what OpenTofu checks it by. A reader who was cut off knows it by the length. */
export async function sendState(
  deps: Deps,
  reply: FastifyReply,
  address: StateAddress,
): Promise<FastifyReply> {
  const { sizeBytes, bodyMd5, stream } = await readStateBytes(deps, address)
  return reply
    .header('content-md5', bodyMd5)
    .header('content-length', sizeBytes)
    .type('application/json')
    .send(stream)
}
